// What language models write (CommonMark with GitHub's strike and tables, and Telegram's spoilers) as text and
// entities. Any text can be read, also one that stops anywhere: what is begun counts as begun, half a marker is not
// shown. Lines are read once; only the last paragraph can still change when more text comes, so a growing text keeps
// what it has shown. That is also why tables are rows, not columns: a wider row would move all before it.

import { unreachable } from '../system/assert.ts';
import {
  type Block,
  BULLETS,
  blockOf,
  endsFence,
  isHalfBlock,
  ListLevels,
  unquoted,
} from './blocks.ts';
import { readInline } from './inline.ts';
import { RichLines } from './rich-lines.ts';
import { type RichText, wellFormed } from './rich-text.ts';
import type { Steps } from './steps.ts';
import { cellsOf, isDelimiterRow, isHalfDelimiterRow, isRow } from './tables.ts';
import type { Ending } from './tokens.ts';
import { validEntities } from './valid-entities.ts';

const RULE = '──────────';
const INDENT = '  ';

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
  new Reader(lines, isFinal ? 'cut' : 'growing', written, steps).read();
  return { rich: validEntities(written.done()), steps: steps.count };
}

interface Paragraph {
  readonly prefix: string;
  // Before those of its further lines that are indented.
  readonly indent: string;
  readonly lines: string[];
}

interface Fence {
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
  readonly #levels = new ListLevels();
  #paragraph: Paragraph | null = null;
  #fence: Fence | null = null;
  #isTable = false;
  #at = 0;

  constructor(lines: readonly string[], ending: Ending, written: RichLines, steps: Steps) {
    this.#lines = lines;
    this.#ending = ending;
    this.#written = written;
    this.#steps = steps;
  }

  read(): void {
    for (this.#at = 0; this.#at < this.#lines.length; this.#at++) {
      this.#steps.count += 1;
      const line = this.#lines[this.#at]!;
      if (this.#fence !== null) this.#code(line, this.#fence);
      else if (!this.#isLastHalf(line) && !this.#row(line)) this.#block(line);
    }
    this.#endParagraph(this.#ending);
    this.#endFence();
  }

  get #isLast(): boolean {
    return this.#at === this.#lines.length - 1;
  }

  // How the present line ends.
  get #lineEnding(): Ending {
    return this.#isLast ? this.#ending : 'whole';
  }

  #isLastHalf(line: string): boolean {
    return this.#isLast && this.#ending === 'growing' && isHalfBlock(line);
  }

  #block(line: string): void {
    const block = blockOf(line);
    if (block.kind !== 'text') this.#endParagraph('whole');
    switch (block.kind) {
      case 'blank':
        this.#written.blank();
        break;
      case 'fence':
        this.#fence = { ...block, lines: [] };
        break;
      case 'quote':
        this.#quote();
        break;
      case 'heading':
        this.#heading(block.text);
        break;
      case 'rule':
        this.#levels.leave();
        this.#written.line(() => this.#written.text(RULE));
        break;
      case 'item':
        this.#item(block);
        break;
      case 'text':
        this.#text(line);
        break;
      default:
        unreachable(block);
    }
  }

  #heading(text: string): void {
    this.#levels.leave();
    this.#written.line(() => {
      const from = this.#written.length;
      this.#written.rich(readInline(text, this.#lineEnding, this.#steps));
      this.#written.mark('bold', from);
    });
  }

  #item({ indent, marker, text }: Extract<Block, { kind: 'item' }>): void {
    const level = this.#levels.enter(indent);
    const task = /^\[([ xX])\](?:\s+|$)/.exec(text);
    const box = task?.[1] === ' ' ? '☐' : '☑';
    const bullet = BULLETS[Math.min(level, BULLETS.length - 1)]!;
    const sign = task === null ? (marker ?? bullet) : box;
    this.#paragraph = {
      prefix: `${INDENT.repeat(level)}${sign} `,
      indent: INDENT.repeat(level + 1),
      lines: [task === null ? text : text.slice(task[0].length)],
    };
  }

  #text(line: string): void {
    const text = line.trimStart();
    const spaces = line.length - text.length;
    if (this.#paragraph !== null) {
      const indent = spaces > 1 ? this.#paragraph.indent : '';
      this.#paragraph.lines.push(indent + text.trimEnd());
      return;
    }
    // It may be a further paragraph of a list's item.
    const indent = INDENT.repeat(this.#levels.within(spaces));
    this.#paragraph = { prefix: indent, indent, lines: [text.trimEnd()] };
  }

  #endParagraph(ending: Ending): void {
    this.#isTable = false;
    const paragraph = this.#paragraph;
    if (paragraph === null) return;
    this.#paragraph = null;
    this.#written.line(() => {
      this.#written.text(paragraph.prefix);
      this.#written.rich(readInline(paragraph.lines.join('\n'), ending, this.#steps));
    });
  }

  // Quotations in quotations are one: Telegram nests none.
  #quote(): void {
    this.#levels.leave();
    const from = this.#at;
    const isQuote = (line: string | undefined) =>
      line !== undefined && blockOf(line).kind === 'quote';
    while (isQuote(this.#lines[this.#at + 1])) this.#at += 1;
    const inner = unquoted(this.#lines.slice(from, this.#at + 1));
    this.#written.line(() => {
      const start = this.#written.length;
      new Reader(inner, this.#lineEnding, this.#written, this.#steps).read();
      this.#written.mark('blockquote', start);
    });
  }

  #code(line: string, fence: Fence): void {
    const text = line.trim();
    const isMarks = text !== '' && text === fence.mark[0]!.repeat(text.length);
    const isHalfEnd = isMarks && this.#isLast && this.#ending === 'growing';
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
    const code = fence.lines.join('\n').trimEnd();
    if (code === '') return;
    this.#written.line(() => {
      const from = this.#written.length;
      this.#written.text(code);
      this.#written.mark('pre', from, fence.language === null ? {} : { language: fence.language });
    });
  }

  // Whether it was one.
  #row(line: string): boolean {
    const next = this.#lines[this.#at + 1];
    const isHeader = !this.#isTable && isRow(line) && this.#isTableUnder(line, next);
    if (!isHeader && !(this.#isTable && isRow(line))) return false;
    this.#endParagraph('whole');
    this.#isTable = true;
    if (isDelimiterRow(line)) return true;
    const cells = cellsOf(line, this.#steps);
    this.#written.line(() => {
      const from = this.#written.length;
      for (const [at, cell] of cells.entries()) {
        if (at > 0) this.#written.text(' | ');
        const ending = at === cells.length - 1 ? this.#lineEnding : 'whole';
        this.#written.rich(readInline(cell, ending, this.#steps));
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
