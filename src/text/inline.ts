// A paragraph of Markdown as text and entities: which runs of markers open and close each other. A closer takes the
// nearest opener that fits it, what lies between the two stays as it is written; openers wait in one list per kind,
// so that none is looked at twice in vain.

import type { LinkReferences } from './references.ts';
import type { Entity, RichText } from './rich-text.ts';
import type { Steps } from './steps.ts';
import { type Ending, type Token, tokensOf } from './tokens.ts';

interface Opener {
  readonly token: number;
  readonly mark: string;
  readonly count: number;
  // Not inside a word: it is hardly anything but an opener.
  readonly isClear: boolean;
  // In the list of all.
  readonly at: number;
}

// `from` and `to` are tokens.
interface Span {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly url?: string;
}

type Run = Extract<Token, { kind: 'run' }>;

const WORD = /[\p{L}\p{N}]/u;
// Of scripts that put spaces between words; in the others an opener stands anywhere.
const SPACED_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
const SPACE = /^\s?$/;

export function readInline(
  source: string,
  ending: Ending,
  steps: Steps,
  references: LinkReferences,
): RichText {
  const tokens = tokensOf(source, ending, steps, references);
  const texts = tokens.map((token) => ('text' in token ? token.text : ''));
  const spans: Span[] = [];
  // Emphasis does not cross the ends of a link.
  const levels = [new Level(texts, spans, ending, steps)];
  for (const [at, token] of tokens.entries()) {
    steps.count += 1;
    if (token.kind === 'code') spans.push({ type: 'code', from: at, to: at + 1 });
    if (token.kind === 'run') levels.at(-1)!.run(token, at);
    if (token.kind === 'link') {
      spans.push({ type: 'text_link', from: at, to: token.to, url: token.url });
      levels.push(new Level(texts, spans, 'whole', steps));
    }
    if (token.kind === 'link_end') levels.pop()!.finish(at);
  }
  levels[0]!.finish(tokens.length);
  return assembled(texts, spans);
}

function assembled(texts: readonly string[], spans: readonly Span[]): RichText {
  const starts: number[] = [0];
  for (const text of texts) starts.push(starts.at(-1)! + text.length);
  const entities: Entity[] = spans.map(({ from, to, ...span }) => ({
    ...span,
    offset: starts[from]!,
    length: starts[to]! - starts[from]!,
  }));
  return { text: texts.join(''), entities };
}

class Level {
  readonly #texts: string[];
  readonly #spans: Span[];
  readonly #ending: Ending;
  readonly #steps: Steps;
  readonly #open: Opener[] = [];
  readonly #byKind = new Map<string, Opener[]>();

  constructor(texts: string[], spans: Span[], ending: Ending, steps: Steps) {
    this.#texts = texts;
    this.#spans = spans;
    this.#ending = ending;
    this.#steps = steps;
  }

  run(run: Run, token: number): void {
    const { mark, before, after } = run;
    // Names have underscores in them and conditions have bars; the others are markers within a word, too.
    const isAnywhere = mark === '*' || mark === '~';
    const canOpen = !SPACE.test(after) && (isAnywhere || !WORD.test(before));
    const canClose = !SPACE.test(before) && (isAnywhere || !WORD.test(after));
    let count = run.count;
    while (canClose && count > 0) {
      const opener = this.#nearest(mark, count, canOpen);
      if (opener === null) break;
      count -= this.#close(opener, count, token);
    }
    // At the end of a text that grows, it is half of something.
    const isHalf = this.#ending === 'growing' && token === this.#texts.length - 1;
    this.#texts[token] = isHalf ? '' : mark.repeat(count);
    const isClear = !SPACED_WORD.test(before);
    if (canOpen && count > 0) this.#push({ token, mark, count, isClear });
  }

  // What was never closed: as begun where that is likely, else as it is written.
  finish(to: number): void {
    for (const { token, mark, count, isClear } of this.#open) {
      const isBegun = this.#ending === 'growing' || (count > 1 && '*~'.includes(mark));
      if (this.#ending === 'whole' || !isClear || !isBegun) continue;
      this.#texts[token] = '';
      if (count > 1) this.#spans.push({ type: typeOf(mark, 2), from: token + 1, to });
      if (count !== 2) this.#spans.push({ type: typeOf(mark, 1), from: token + 1, to });
    }
  }

  // One leaves those of two alone; two prefers those of two or more, and where it may as well open it leaves one alone;
  // more take what is nearest.
  #nearest(mark: string, count: number, canOpen: boolean): Opener | null {
    const last = (kind: number) => this.#byKind.get(mark + kind)?.at(-1);
    const later = (a: Opener | undefined, b: Opener | undefined) =>
      (a?.at ?? -1) > (b?.at ?? -1) ? a : b;
    if (count === 1) return later(last(1), last(3)) ?? null;
    const many = later(last(2), last(3));
    const one = count === 2 && canOpen ? undefined : last(1);
    return (count === 2 ? (many ?? one) : later(many, one)) ?? null;
  }

  // How many markers it took.
  #close(opener: Opener, count: number, token: number): number {
    while (this.#open.length > opener.at) {
      this.#steps.count += 1;
      const { mark, count: left } = this.#open.pop()!;
      this.#byKind.get(mark + kindOf(left))!.pop();
    }
    const taken = opener.count > 1 && count > 1 ? 2 : 1;
    this.#spans.push({ type: typeOf(opener.mark, taken), from: opener.token + 1, to: token });
    const left = opener.count - taken;
    this.#texts[opener.token] = opener.mark.repeat(left);
    if (left > 0) this.#push({ ...opener, count: left });
    return taken;
  }

  #push(opener: Omit<Opener, 'at'>): void {
    const waiting = { ...opener, at: this.#open.length };
    this.#open.push(waiting);
    const kind = opener.mark + kindOf(opener.count);
    const others = this.#byKind.get(kind);
    if (others === undefined) this.#byKind.set(kind, [waiting]);
    else others.push(waiting);
  }
}

function kindOf(count: number): number {
  return Math.min(count, 3);
}

function typeOf(mark: string, count: number): string {
  if (mark === '~') return 'strikethrough';
  if (mark === '|') return 'spoiler';
  return count === 2 ? 'bold' : 'italic';
}
