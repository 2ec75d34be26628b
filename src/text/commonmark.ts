// What language models write (CommonMark with GitHub's strike and tables, and spoilers between `||`) as text and
// entities. Any text can be read, also one that stops anywhere: what is begun counts as begun, half a marker is not
// shown. Lines are read once; only the last paragraph can still change when more text comes, so a growing text keeps
// what it has shown. That is also why tables are rows, not columns: a wider row would move all before it.

import { unreachable } from '../system/assert.ts';
import {
  type Block,
  BULLETS,
  blockOf,
  CODE_COLUMNS,
  endsFence,
  indentOf,
  isHalfBlock,
  isUnderline,
  ListLevels,
  Unquoting,
  unindented,
} from './blocks.ts';
import { readInline } from './inline.ts';
import { isDefinition, isHalfDefinition, type LinkReferences, referencesOf } from './references.ts';
import { RichLines } from './rich-lines.ts';
import { type RichText, wellFormed } from './rich-text.ts';
import type { Steps } from './steps.ts';
import { cellsOf, isDelimiterRow, isHalfDelimiterRow, isRow } from './tables.ts';
import type { Ending } from './tokens.ts';
import { validEntities } from './valid-entities.ts';

const RULE = '──────────';
const INDENT = '  ';
// Signs of items one behind the other.
const LEVELS_ON_A_LINE_MAX = 4;
// Quotations in items of quotations: each is read within the one around it. Further in their signs are text.
const QUOTES_WITHIN_MAX = 8;

export function parseCommonMark(source: string, isFinal: boolean): RichText {
  return readCommonMark(source, isFinal).rich;
}

export function readCommonMark(
  source: string,
  isFinal: boolean,
): { rich: RichText; steps: number } {
  const steps = { count: 0 };
  const written = new RichLines();
  // Halves of characters must not meet when a marker between them goes.
  const lines = wellFormed(source, isFinal).replace(/\r\n?/g, '\n').split('\n');
  const references = referencesOf(lines, !isFinal, steps);
  new Reader(lines, isFinal ? 'cut' : 'growing', { written, steps, references, quotes: 0 }).read();
  return { rich: validEntities(written.done()), steps: steps.count };
}

// What the parts of a text have in common.
interface Shared {
  readonly written: RichLines;
  readonly steps: Steps;
  readonly references: LinkReferences;
  // Quotations around it.
  readonly quotes: number;
}

interface Paragraph {
  readonly prefix: string;
  // Before those of its further lines that are indented.
  readonly indent: string;
  readonly lines: string[];
  readonly isItem: boolean;
}

interface Fence {
  // The sign of an item that it stands behind.
  readonly prefix: string;
  readonly mark: string;
  readonly indent: number;
  readonly language: string | null;
  readonly lines: string[];
}

class Reader {
  readonly #lines: readonly string[];
  // Of the last line.
  readonly #ending: Ending;
  readonly #written: RichLines;
  readonly #steps: Steps;
  readonly #references: LinkReferences;
  readonly #quotes: number;
  readonly #levels = new ListLevels();
  #paragraph: Paragraph | null = null;
  #fence: Fence | null = null;
  // Code that is told by its indent.
  #indented: string[] | null = null;
  #isTable = false;
  #at = 0;

  constructor(lines: readonly string[], ending: Ending, shared: Shared) {
    this.#lines = lines;
    this.#ending = ending;
    this.#written = shared.written;
    this.#steps = shared.steps;
    this.#references = shared.references;
    this.#quotes = shared.quotes;
  }

  read(): void {
    for (this.#at = 0; this.#at < this.#lines.length; this.#at++) {
      this.#steps.count += 1;
      const line = this.#lines[this.#at]!;
      if (this.#fence !== null) this.#code(line, this.#fence);
      else if (!this.#isCodeLine(line) && !this.#isLastHalf(line) && !this.#row(line)) {
        this.#block(line);
      }
    }
    this.#endParagraph(this.#ending);
    this.#endIndented();
    this.#endFence();
  }

  get #isLast(): boolean {
    return this.#at === this.#lines.length - 1;
  }

  // How the present line ends.
  get #lineEnding(): Ending {
    return this.#isLast ? this.#ending : 'whole';
  }

  get #isGrowingLine(): boolean {
    return this.#isLast && this.#ending === 'growing';
  }

  #isLastHalf(line: string): boolean {
    if (!this.#isGrowingLine) return false;
    return isHalfBlock(line) || (this.#paragraph === null && isHalfDefinition(line));
  }

  #block(line: string): void {
    if (this.#paragraph === null && isDefinition(line, this.#references)) return;
    if (this.#isUnderlined(line)) return;
    const block = blockOf(line);
    if (block.kind === 'quote' && this.#isTooFar(block.indent)) {
      this.#text(line);
      return;
    }
    if (block.kind !== 'text') this.#endParagraph('whole');
    switch (block.kind) {
      case 'blank':
        this.#written.blank();
        break;
      case 'item':
        this.#item(block);
        break;
      case 'text':
        this.#text(line);
        break;
      default:
        this.#begun(block, line, '');
    }
  }

  // What a line begins, or an item behind its sign.
  #begun(
    block: Exclude<Block, { kind: 'blank' | 'item' | 'text' }>,
    line: string,
    prefix: string,
  ): void {
    switch (block.kind) {
      case 'fence':
        this.#fence = { ...block, prefix, lines: [] };
        break;
      case 'quote':
        this.#quote(line, block.indent, prefix);
        break;
      case 'heading':
        if (prefix === '') this.#levels.leave();
        this.#heading(block.text, prefix);
        break;
      case 'rule':
        if (prefix === '') this.#levels.leave();
        this.#written.line(() => this.#written.text(prefix + RULE));
        break;
      default:
        unreachable(block);
    }
  }

  // Far to the right a sign of quotation is text, unless it lies in a list.
  #isTooFar(indent: number): boolean {
    if (this.#quotes >= QUOTES_WITHIN_MAX) return true;
    return indent >= CODE_COLUMNS && this.#levels.within(indent) === 0;
  }

  #heading(text: string, prefix: string): void {
    this.#written.line(() => {
      this.#written.text(prefix);
      const from = this.#written.length;
      this.#written.rich(this.#inline(text, this.#lineEnding));
      this.#written.mark('bold', from);
    });
  }

  // A paragraph is a heading by the line under it: of any number of lines by `===`. By `---` of one line only; under
  // more it is rather a rule.
  #isUnderlined(line: string): boolean {
    const paragraph = this.#paragraph;
    if (paragraph === null || paragraph.isItem || this.#isTable || !isUnderline(line)) return false;
    if (paragraph.lines.length > 1 && !line.includes('=')) return false;
    this.#paragraph = null;
    this.#levels.leave();
    this.#heading(paragraph.lines.join('\n'), paragraph.prefix);
    return true;
  }

  #inline(text: string, ending: Ending): RichText {
    return readInline(text, ending, this.#steps, this.#references);
  }

  #item({ indent, marker, text, column }: Extract<Block, { kind: 'item' }>, before = ''): void {
    const level = this.#levels.enter(indent);
    const task = /^\[([ xX])\](?:\s+|$)/.exec(text);
    const box = task?.[1] === ' ' ? '☐' : '☑';
    const bullet = BULLETS[Math.min(level, BULLETS.length - 1)]!;
    const sign = task === null ? (marker ?? bullet) : box;
    const prefix = `${before === '' ? INDENT.repeat(level) : before}${sign} `;
    const whole = task === null ? text : text.slice(task[0].length);
    const rest = this.#isGrowingLine && isHalfBlock(whole) ? '' : whole;
    const block = blockOf(rest);
    if (block.kind === 'item' && level < LEVELS_ON_A_LINE_MAX) {
      const shifted = { ...block, indent: indent + column, column: block.column + column };
      this.#item(shifted, prefix);
      return;
    }
    if (block.kind === 'fence') {
      this.#fence = { ...block, indent: column, prefix, lines: [] };
      return;
    }
    const isQuote = block.kind === 'quote' && this.#quotes < QUOTES_WITHIN_MAX;
    if (isQuote || block.kind === 'heading' || block.kind === 'rule') {
      this.#begun(block, rest, prefix);
      return;
    }
    this.#paragraph = { prefix, indent: INDENT.repeat(level + 1), lines: [rest], isItem: true };
  }

  #text(line: string): void {
    const text = line.trimStart();
    const columns = indentOf(line);
    if (this.#paragraph !== null) {
      const { indent, lines } = this.#paragraph;
      // An item's text may begin in the line after its sign.
      if (lines[0] === '') lines[0] = text.trimEnd();
      else lines.push((columns > 1 ? indent : '') + text.trimEnd());
      return;
    }
    const level = this.#levels.within(columns);
    if (level === 0 && columns >= CODE_COLUMNS) {
      this.#indented = [unindented(line)];
      return;
    }
    // It may be a further paragraph of a list's item.
    const indent = INDENT.repeat(level);
    this.#paragraph = { prefix: indent, indent, lines: [text.trimEnd()], isItem: false };
  }

  #endParagraph(ending: Ending): void {
    this.#isTable = false;
    const paragraph = this.#paragraph;
    if (paragraph === null) return;
    this.#paragraph = null;
    this.#written.line(() => {
      this.#written.text(paragraph.prefix);
      this.#written.rich(this.#inline(paragraph.lines.join('\n'), ending));
    });
  }

  // Quotations in quotations are one, as chats nest none. A paragraph in it goes on without its sign, too.
  #quote(first: string, indent: number, prefix: string): void {
    if (prefix === '') this.#levels.within(indent);
    const unquoting = new Unquoting();
    const inner = [unquoting.take(first.trimStart())];
    for (; this.#at + 1 < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at + 1]!;
      const { kind } = blockOf(line);
      if (kind === 'quote') inner.push(unquoting.take(line.trimStart()));
      else if (kind === 'text' && unquoting.isInParagraph) inner.push(line.trimStart());
      else break;
    }
    this.#written.line(() => {
      this.#written.sign(prefix);
      const start = this.#written.length;
      const shared = {
        written: this.#written,
        steps: this.#steps,
        references: this.#references,
        quotes: this.#quotes + 1,
      };
      new Reader(inner, this.#lineEnding, shared).read();
      this.#written.mark('blockquote', start);
    });
  }

  // Whether it was one.
  #isCodeLine(line: string): boolean {
    if (this.#indented === null) return false;
    const isBlank = line.trim() === '';
    if (!isBlank && indentOf(line) < CODE_COLUMNS) {
      this.#endIndented();
      return false;
    }
    this.#indented.push(unindented(line));
    return true;
  }

  #endIndented(): void {
    const lines = this.#indented;
    if (lines === null) return;
    this.#indented = null;
    const code = lines.join('\n');
    this.#writeCode(code.trimEnd(), '', null);
    // The lines at its end were between it and what follows.
    if (/\n[ \t]*$/.test(code)) this.#written.blank();
  }

  #code(line: string, fence: Fence): void {
    const text = line.trim();
    const isMarks = text !== '' && text === fence.mark[0]!.repeat(text.length);
    const isHalfEnd = isMarks && this.#isGrowingLine;
    if (endsFence(line, fence.mark)) this.#endFence();
    else if (!isHalfEnd) {
      const spaces = line.length - line.trimStart().length;
      fence.lines.push(line.slice(Math.min(spaces, fence.indent)));
    }
  }

  #endFence(): void {
    const fence = this.#fence;
    if (fence === null) return;
    this.#fence = null;
    this.#writeCode(fence.lines.join('\n').trimEnd(), fence.prefix, fence.language);
  }

  #writeCode(code: string, prefix: string, language: string | null): void {
    if (code === '' && prefix === '') return;
    this.#written.line(() => {
      this.#written.text(prefix);
      const from = this.#written.length;
      this.#written.text(code);
      this.#written.mark('pre', from, language === null ? {} : { language });
    });
  }

  // Whether it was one.
  #row(line: string): boolean {
    const next = this.#lines[this.#at + 1];
    const isHeader = !this.#isTable && isRow(line) && this.#isTableUnder(line, next);
    if (!isHeader && !(this.#isTable && isRow(line))) return false;
    this.#endParagraph('whole');
    this.#levels.within(indentOf(line));
    this.#isTable = true;
    if (isDelimiterRow(line)) return true;
    const cells = cellsOf(line, this.#steps);
    this.#written.line(() => {
      const from = this.#written.length;
      for (const [at, cell] of cells.entries()) {
        if (at > 0) this.#written.text(' | ');
        const ending = at === cells.length - 1 ? this.#lineEnding : 'whole';
        this.#written.rich(this.#inline(cell, ending));
      }
      if (isHeader) this.#written.mark('bold', from);
    });
    return true;
  }

  #isTableUnder(line: string, next: string | undefined): boolean {
    if (next !== undefined && isDelimiterRow(next)) return true;
    const isGrowing = this.#ending === 'growing' && line.trimStart().startsWith('|');
    const isNextLast = this.#at === this.#lines.length - 2;
    return isGrowing && (this.#isLast || (isNextLast && isHalfDelimiterRow(next!)));
  }
}
