// What a line of Markdown begins, looked at by itself.

export type Block =
  | { kind: 'blank' }
  | { kind: 'fence'; mark: string; indent: number; language: string | null }
  | { kind: 'quote'; indent: number }
  | { kind: 'heading'; text: string }
  | { kind: 'rule' }
  // `marker` of a numbered one; `column`: where its text begins.
  | { kind: 'item'; indent: number; marker: string | null; text: string; column: number }
  | { kind: 'text' };

export const BULLETS = ['•', '◦', '▪'];

const FENCE = /^([ \t]*)(`{3,}|~{3,}(?!~))([^`]*)$/;
const LANGUAGE = /^[\w+#.-]{1,32}/;
const QUOTE = /^([ \t]*)>/;
const QUOTE_SIGN = /[ \t]{0,3}> ?/y;
const UNDERLINE = /^ {0,3}(?:=+|-{3,})[ \t]*$/;
// So far to the right a line is code, or quotes nothing, unless it lies in a list.
export const CODE_COLUMNS = 4;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]+|$)/;
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9}[.)]))(?:[ \t]+|$)/;
// A bullet, half a box, a heading's sign, half a rule or half a fence: the next character makes it something else.
const HALF = /^(?:[-+*](?: \[[ xX]?\]?)?|#{1,6}|[-*_][ \t]?[-*_]|`{1,2}|~{1,2}|\|[ \t|:-]*)$/;
// Deeper than this a list is not shown deeper.
const LEVELS_MAX = 6;

export function blockOf(line: string): Block {
  if (line.trim() === '') return { kind: 'blank' };
  const fence = FENCE.exec(line);
  if (fence !== null) {
    const language = LANGUAGE.exec(fence[3]!.trim())?.[0] ?? null;
    return { kind: 'fence', mark: fence[2]!, indent: fence[1]!.length, language };
  }
  const quote = QUOTE.exec(line);
  if (quote !== null) return { kind: 'quote', indent: widthOf(quote[1]!) };
  const heading = HEADING.exec(line);
  if (heading !== null) {
    return { kind: 'heading', text: withoutClosing(line.slice(heading[0].length)) };
  }
  if (isRule(line)) return { kind: 'rule' };
  const item = ITEM.exec(line);
  if (item === null) return { kind: 'text' };
  const [whole, spaces, , number] = item;
  const text = line.slice(whole.length).trimEnd();
  return {
    kind: 'item',
    indent: widthOf(spaces!),
    marker: number ?? null,
    text,
    column: whole.length,
  };
}

// Under a line of text it makes a heading of it.
export function isUnderline(line: string): boolean {
  return UNDERLINE.test(line);
}

// How many columns stand before its text.
export function indentOf(line: string): number {
  return widthOf(/^[ \t]*/.exec(line)![0]);
}

// A line of code by its indent, without it.
export function unindented(line: string): string {
  return line.replace(/^(?: {4}| {0,3}(?:\t|$))/, '');
}

// Of a fence, also one behind the signs of items; null: the line begins none.
export function fenceOf(line: string): Extract<Block, { kind: 'fence' }> | null {
  let block = blockOf(line);
  for (let depth = 0; block.kind === 'item' && depth < LEVELS_MAX; depth++)
    block = blockOf(block.text);
  return block.kind === 'fence' ? block : null;
}

export function isHalfBlock(line: string): boolean {
  return HALF.test(line.trim());
}

export function endsFence(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === mark[0]!.repeat(text.length);
}

// Lines without the signs of the quotations they are in: all signs there are, as quotations in quotations are one. But
// in code there are only as many as before its first line; the next is the code's own.
export class Unquoting {
  #fence: { mark: string; signs: number } | null = null;
  #last: Block = { kind: 'blank' };

  take(line: string): string {
    const { text, signs } = withoutSigns(line, this.#fence?.signs ?? Number.POSITIVE_INFINITY);
    const opened = this.#fence === null ? fenceOf(text) : null;
    if (opened !== null) this.#fence = { mark: opened.mark, signs };
    else if (this.#fence !== null && endsFence(text, this.#fence.mark)) this.#fence = null;
    this.#last = opened !== null || this.#fence !== null ? { kind: 'blank' } : blockOf(text);
    return text;
  }

  // A paragraph is open, which a line without a sign may continue.
  get isInParagraph(): boolean {
    const { kind } = this.#last;
    return kind === 'text' || (kind === 'item' && this.#last.text !== '');
  }
}

function withoutSigns(line: string, signsMax: number): { text: string; signs: number } {
  let [at, signs] = [0, 0];
  for (; signs < signsMax; signs++) {
    QUOTE_SIGN.lastIndex = at;
    const sign = QUOTE_SIGN.exec(line);
    if (sign === null) break;
    at += sign[0].length;
  }
  return { text: line.slice(at), signs };
}

// How deep an item lies: one that begins two columns or more to the right of another is inside it.
export class ListLevels {
  #indents: number[] = [];

  enter(indent: number): number {
    const level = this.within(indent);
    this.#indents.push(indent);
    return level;
  }

  // Of text that is no item; what lies deeper is over.
  within(indent: number): number {
    this.#indents = this.#indents.filter((each) => each + 2 <= indent).slice(0, LEVELS_MAX);
    return this.#indents.length;
  }

  leave(): void {
    this.#indents = [];
  }
}

function isRule(line: string): boolean {
  const marks = line.replace(/[ \t]/g, '');
  return marks.length >= 3 && '-*_'.includes(marks[0]!) && marks === marks[0]!.repeat(marks.length);
}

// The signs that some put after a heading, too.
function withoutClosing(text: string): string {
  const trimmed = text.trimEnd();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(trimmed[end - 1]!) ? trimmed.slice(0, end).trimEnd() : trimmed;
}

function widthOf(spaces: string): number {
  return spaces.replaceAll('\t', '    ').length;
}
