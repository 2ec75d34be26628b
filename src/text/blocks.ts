// What a line of Markdown begins, looked at by itself.

export type Block =
  | { kind: 'blank' }
  | { kind: 'fence'; mark: string; indent: number; language: string | null }
  | { kind: 'quote' }
  | { kind: 'heading'; text: string }
  | { kind: 'rule' }
  // `marker` of a numbered one.
  | { kind: 'item'; indent: number; marker: string | null; text: string }
  | { kind: 'text' };

export const BULLETS = ['•', '◦', '▪'];

const FENCE = /^([ \t]*)(`{3,}|~{3,}(?!~))([^`]*)$/;
const LANGUAGE = /^[\w+#.-]{1,32}/;
const QUOTE = /^[ \t]{0,3}>/;
const QUOTE_SIGN = /[ \t]{0,3}> ?/y;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]+|$)/;
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9}[.)]))(?:[ \t]+|$)/;
// A bullet, half a box, a heading's sign, half a rule or half a fence: the next character makes it something else.
const HALF = /^(?:[-+*](?: \[[ xX]?\]?)?|#{1,6}|[-*_]{2}|`{1,2}|~{1,2}|\|[ \t|:-]*)$/;
// Deeper than this a list is not shown deeper.
const LEVELS_MAX = 6;

export function blockOf(line: string): Block {
  if (line.trim() === '') return { kind: 'blank' };
  const fence = FENCE.exec(line);
  if (fence !== null) {
    const language = LANGUAGE.exec(fence[3]!.trim())?.[0] ?? null;
    return { kind: 'fence', mark: fence[2]!, indent: fence[1]!.length, language };
  }
  if (QUOTE.test(line)) return { kind: 'quote' };
  const heading = HEADING.exec(line);
  if (heading !== null) {
    return { kind: 'heading', text: withoutClosing(line.slice(heading[0].length)) };
  }
  if (isRule(line)) return { kind: 'rule' };
  const item = ITEM.exec(line);
  if (item === null) return { kind: 'text' };
  const [whole, spaces, , number] = item;
  const text = line.slice(whole.length).trimEnd();
  return { kind: 'item', indent: widthOf(spaces!), marker: number ?? null, text };
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
export function unquoted(lines: readonly string[]): string[] {
  let fence: { mark: string; signs: number } | null = null;
  return lines.map((line) => {
    const { text, signs } = withoutSigns(line, fence?.signs ?? Number.POSITIVE_INFINITY);
    const block = fence === null ? blockOf(text) : null;
    if (block?.kind === 'fence') fence = { mark: block.mark, signs };
    else if (fence !== null && endsFence(text, fence.mark)) fence = null;
    return text;
  });
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
