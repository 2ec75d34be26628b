// A paragraph of Markdown, cut into what counts in it: texts, code, runs of markers, links. Links and code are decided
// here, as they bind tighter than any emphasis. Every character is looked at a bounded number of times.

import { type Destination, destinationAt, isLabel, linkTo } from './links.ts';
import { characterAt, isHalfCharacter } from './named-characters.ts';
import { type LinkReferences, targetOf } from './references.ts';
import type { Steps } from './steps.ts';

// How a paragraph ends. `whole`: with its last character. `growing`: more may come, so what is begun counts as begun,
// and half a marker is not shown. `cut`: nothing more comes, though its writer may have been cut off.
export type Ending = 'whole' | 'growing' | 'cut';

export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'run'; mark: string; count: number; before: string; after: string }
  // `to`: the token that closes it; `text`: what it begins with.
  | { kind: 'link'; to: number; url: string; text: string }
  | { kind: 'link_end' };

const ORDINARY = /[^\\`*_~|[\]<&h!]+/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
// The second half of a link by reference.
const NAME_UNITS_MAX = 200;
const NAME = /\[([^\][]{0,200})\]/y;
const BREAK = /<br ?\/?>/iy;
const ANGLES = ['<br>', '<br/>', '<br />', '<https:', '<http:', '<mailto:'];
const AUTO_MAIL = /<([\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8})>/y;
const AUTO_LINK = /<((?:https?:|mailto:)[^\s<>]{1,2048})(>|$)/iy;
// Platforms find it by themselves; here it only keeps its underscores. What may close an emphasis is not part of it.
const ADDRESS = /https?:\/\/[^\s<>*`|[\]()]+/iy;

export function tokensOf(
  source: string,
  ending: Ending,
  steps: Steps,
  references: LinkReferences,
): Token[] {
  return new Tokenizer(source, ending, steps, references).read();
}

interface Bracket {
  readonly at: number;
  readonly token: number;
  readonly isImage: boolean;
}

class Tokenizer {
  readonly #source: string;
  readonly #isGrowing: boolean;
  readonly #steps: Steps;
  readonly #references: LinkReferences;
  readonly #tokens: Token[] = [];
  readonly #backticks: Map<number, number[]>;
  // `[` that may still become links: where in the source, which token.
  #brackets: Bracket[] = [];
  #at = 0;

  constructor(source: string, ending: Ending, steps: Steps, references: LinkReferences) {
    this.#references = references;
    this.#source = source;
    this.#isGrowing = ending === 'growing';
    this.#steps = steps;
    this.#backticks = backtickRuns(source, steps);
  }

  read(): Token[] {
    while (this.#at < this.#source.length) {
      this.#steps.count += 1;
      this.#at = this.#next();
    }
    // The label of a link that is being written.
    const half = this.#brackets.at(-1);
    if (this.#isGrowing && half !== undefined && this.#mayBeLabel(half, this.#source.length)) {
      this.#tokens[half.token] = { kind: 'text', text: '' };
    }
    return this.#tokens;
  }

  // Each of these answers where to read on.
  #next(): number {
    switch (this.#source[this.#at]) {
      case '\\':
        return this.#escape();
      case '`':
        return this.#code();
      case '*':
      case '_':
        return this.#run(1);
      case '~':
      case '|':
        return this.#run(2);
      case '!':
      case '[':
        return this.#bracket();
      case ']':
        return this.#closeBracket();
      case '<':
        return this.#angle();
      case '&':
        return this.#named();
      case 'h':
        return this.#address();
      default:
        return this.#text(this.#match(ORDINARY)![0]);
    }
  }

  #text(text: string, length: number = text.length): number {
    this.#tokens.push({ kind: 'text', text });
    return this.#at + length;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }

  // Before a line's end it only says that the line ends here, as it does anyway.
  #escape(): number {
    const next = this.#source[this.#at + 1];
    if (next === undefined) return this.#text(this.#isGrowing ? '' : '\\', 1);
    if (next === '\n') return this.#text('\n', 2);
    return ESCAPABLE.test(next) ? this.#text(next, 2) : this.#text('\\');
  }

  #code(): number {
    const length = runLength(this.#source, this.#at);
    this.#steps.count += length;
    const from = this.#at + length;
    const starts = this.#backticks.get(length) ?? [];
    // Runs before this place will not be asked for again.
    while (starts.length > 0 && starts.at(-1)! < from) starts.pop();
    const to = starts.at(-1);
    if (to !== undefined) {
      this.#tokens.push({ kind: 'code', text: codeText(this.#source.slice(from, to)) });
      return to + length;
    }
    if (!this.#isGrowing) return this.#text('`'.repeat(length));
    this.#tokens.push({ kind: 'code', text: withoutBackticks(this.#source, from) });
    return this.#source.length;
  }

  // Emphasis takes runs of any length, strike and spoiler of exactly two.
  #run(least: 1 | 2): number {
    const mark = this.#source[this.#at]!;
    const count = runLength(this.#source, this.#at);
    this.#steps.count += count;
    const before = this.#source[this.#at - 1] ?? '';
    const after = this.#source[this.#at + count] ?? '';
    if (least === 2 && count !== 2) {
      const isHalf = this.#isGrowing && after === '' && count < least;
      return this.#text(isHalf ? '' : mark.repeat(count), count);
    }
    this.#tokens.push({ kind: 'run', mark, count, before, after });
    return this.#at + count;
  }

  #bracket(): number {
    const isImage = this.#source.startsWith('![', this.#at);
    if (!isImage && this.#source[this.#at] === '!') return this.#text('!');
    const text = isImage ? '![' : '[';
    const at = this.#at + text.length - 1;
    this.#brackets.push({ at, token: this.#tokens.length, isImage });
    return this.#text(text);
  }

  #closeBracket(): number {
    const open = this.#brackets.pop();
    if (open === undefined) return this.#text(']');
    const after = this.#at + 1;
    const found = destinationAt(this.#source, after, this.#steps);
    if (found.kind === 'whole') return this.#link(open, found);
    const referred = this.#reference(open);
    if (referred !== null) return referred;
    const isHalf =
      found.kind === 'half' || after === this.#source.length || this.#isHalfName(after);
    if (!this.#isGrowing || !isHalf || !this.#mayBeLabel(open, this.#at)) {
      return this.#text(']');
    }
    this.#tokens[open.token] = { kind: 'text', text: '' };
    return this.#source.length;
  }

  // Of a link whose end is not there yet. What stands behind a name or a bracket is an index.
  #mayBeLabel({ at, isImage }: Bracket, end: number): boolean {
    const isIndex = !isImage && /[\w\]]/.test(this.#source[at - 1] ?? '');
    return !isIndex && isLabel(this.#source.slice(at + 1, end));
  }

  #isHalfName(at: number): boolean {
    const isOpen = this.#source[at] === '[' && this.#source.length - at <= NAME_UNITS_MAX;
    return isOpen && !this.#source.slice(at + 1).includes(']');
  }

  // A link by a name after the label, or by the label itself; null: none of that name.
  #reference(open: Bracket): number | null {
    const after = this.#at + 1;
    NAME.lastIndex = after;
    const named = NAME.exec(this.#source);
    const label = this.#source.slice(open.at + 1, this.#at);
    const target = targetOf(this.#references, named?.[1] || label);
    const end = after + (named?.[0].length ?? 0);
    if (target === null) return named === null ? null : this.#awaited(open, end);
    if (named === null && !isLabel(label)) return this.#note(open, target, end);
    return this.#link(open, linkTo(target, end));
  }

  // Its definition is still to come, most likely: models write them last. Until then there is the label alone, as
  // there will be with the link.
  #awaited(open: Bracket, end: number): number | null {
    if (!this.#references.isGrowing || !this.#mayBeLabel(open, this.#at)) return null;
    this.#tokens[open.token] = { kind: 'text', text: '' };
    return end;
  }

  // A number keeps its brackets, as it had them before its definition came.
  #note({ token }: Bracket, target: string, end: number): number {
    const { url } = linkTo(target, end);
    if (url === null) return this.#text(']');
    this.#tokens.push({ kind: 'text', text: ']' });
    this.#tokens[token] = { kind: 'link', to: this.#tokens.length, url, text: '[' };
    this.#tokens.push({ kind: 'link_end' });
    this.#brackets = [];
    return end;
  }

  #link({ token, isImage }: Bracket, { url, text, end }: Destination): number {
    this.#tokens[token] =
      url === null
        ? { kind: 'text', text: '' }
        : { kind: 'link', to: this.#tokens.length, url, text: '' };
    this.#tokens.push(url === null ? { kind: 'text', text } : { kind: 'link_end' });
    // No link within a link, but a picture.
    if (!isImage) this.#brackets = [];
    return end;
  }

  #named(): number {
    const found = characterAt(this.#source, this.#at);
    if (found !== null) return this.#text(found.text, found.end - this.#at);
    const isHalf = this.#isGrowing && isHalfCharacter(this.#source.slice(this.#at));
    return isHalf ? this.#text('', this.#source.length - this.#at) : this.#text('&');
  }

  #angle(): number {
    const line = this.#match(BREAK);
    if (line !== null) return this.#text('\n', line[0].length);
    const mail = this.#match(AUTO_MAIL);
    if (mail !== null) return this.#text(mail[1]!, mail[0].length);
    const link = this.#match(AUTO_LINK);
    const isLink = link !== null && (link[2] === '>' || this.#isGrowing);
    if (isLink) return this.#text(link[1]!, link[0].length);
    return this.#half(ANGLES) ?? this.#text('<');
  }

  // The end of a text that grows, if it may become one of these.
  #half(wholes: readonly string[]): number | null {
    const rest = this.#source.slice(this.#at);
    const isHalf = this.#isGrowing && wholes.some((whole) => whole.startsWith(rest));
    return isHalf ? this.#text('', rest.length) : null;
  }

  #address(): number {
    const before = this.#source[this.#at - 1] ?? '';
    const found = /\w/.test(before) ? null : this.#match(ADDRESS);
    return this.#text(found === null ? 'h' : found[0].replace(/[_~.,;:!?'"]{1,8}$/, ''));
  }
}

// For each length, where runs of backticks begin, the last first.
function backtickRuns(source: string, steps: Steps): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const { index, 0: run } of [...source.matchAll(/`+/g)].reverse()) {
    steps.count += 1;
    const starts = runs.get(run.length);
    if (starts === undefined) runs.set(run.length, [index]);
    else starts.push(index);
  }
  return runs;
}

function runLength(source: string, at: number): number {
  let end = at + 1;
  while (source[end] === source[at]) end += 1;
  return end - at;
}

// Spaces that only keep the code's own backticks off the markers.
function codeText(source: string): string {
  const text = source.replaceAll('\n', ' ');
  const isPadded = text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '';
  return isPadded ? text.slice(1, -1) : text;
}

// Code without its end, and without half of its end.
function withoutBackticks(source: string, from: number): string {
  let to = source.length;
  while (to > from && source[to - 1] === '`') to -= 1;
  return source.slice(from, to);
}
