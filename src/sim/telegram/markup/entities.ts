// Entities as Telegram keeps them, painted onto the text character by character and read off again: styles that
// touch become one, a style is cut where a link, code or quotation begins or ends and where another style begins, code
// carries no style, links and code do not overlap, quotations are not nested. White space around the text is cut off.

export interface SimEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly [more: string]: unknown;
}

export interface MarkedText {
  readonly kind: 'text';
  readonly text: string;
  readonly entities: readonly SimEntity[];
}

export interface BrokenMarkup {
  readonly kind: 'broken';
  readonly why: string;
}

export type ParsedMarkup = MarkedText | BrokenMarkup;

interface Marked {
  readonly text: string;
  readonly entities: readonly SimEntity[];
}

const STYLES = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'];
const QUOTES = ['blockquote', 'expandable_blockquote'];
const CODES = ['pre', 'code'];
const LINKS = ['text_link', 'text_mention', 'date_time', 'custom_emoji'];
// Of the same place the first of these is first.
const ORDER = [...QUOTES, ...CODES, ...LINKS.slice(0, 3), ...STYLES, 'custom_emoji'];

const endOf = ({ offset, length }: SimEntity) => offset + length;
const isOneOf = (types: readonly string[]) => (entity: SimEntity) => types.includes(entity.type);

export function fixed({ text, entities }: Marked): Marked {
  const clean = cleaned(text);
  const sorted = entities.filter(({ length }) => length > 0).toSorted(byPlace);
  const quotes = withoutOverlap(sorted.filter(isOneOf(QUOTES)));
  const things = withoutOverlap(sorted.filter(isOneOf([...CODES, ...LINKS])));
  const whole = things.filter((thing) => quotes.every((quote) => isCompatible(thing, quote)));
  const kept = [...quotes, ...whole];
  const styles = styled(clean.length, sorted.filter(isOneOf(STYLES)), kept);
  return trimmed(clean, [...kept, ...styles].sort(byPlace));
}

function byPlace(a: SimEntity, b: SimEntity): number {
  const place = a.offset - b.offset || b.length - a.length;
  return place || rankOf(a) - rankOf(b);
}

// A block that names its language is another type to Telegram's core, and comes first.
function rankOf({ type, language }: SimEntity): number {
  return ORDER.indexOf(type) - (language === undefined ? 0 : 0.5);
}

// Control characters become spaces.
function cleaned(text: string): string {
  return text.replace(/(?![\n\r\u007f-\u009f])\p{Cc}/gu, ' ');
}

function withoutOverlap(sorted: readonly SimEntity[]): SimEntity[] {
  const kept: SimEntity[] = [];
  for (const entity of sorted) {
    const last = kept.at(-1);
    if (last === undefined || entity.offset >= endOf(last)) kept.push(entity);
  }
  return kept;
}

// Within it whole, or outside.
function isCompatible(thing: SimEntity, quote: SimEntity): boolean {
  if (endOf(quote) <= thing.offset || endOf(thing) <= quote.offset) return true;
  return quote.offset <= thing.offset && endOf(thing) <= endOf(quote);
}

function styled(
  length: number,
  entities: readonly SimEntity[],
  others: readonly SimEntity[],
): SimEntity[] {
  const runs = STYLES.flatMap((type) => {
    const paint = new Uint8Array(length);
    for (const e of entities) if (e.type === type) paint.fill(1, e.offset, endOf(e));
    for (const code of others.filter(isOneOf(CODES))) paint.fill(0, code.offset, endOf(code));
    return runsOf(type, paint);
  });
  const cuts = new Set([
    ...others.flatMap((e) => [e.offset, endOf(e)]),
    ...runs.map(({ offset }) => offset),
  ]);
  return runs.flatMap((run) => cut(run, cuts));
}

function runsOf(type: string, paint: Uint8Array): SimEntity[] {
  const runs: SimEntity[] = [];
  let from = paint.indexOf(1);
  while (from >= 0) {
    const end = paint.indexOf(0, from);
    const to = end < 0 ? paint.length : end;
    runs.push({ type, offset: from, length: to - from });
    from = paint.indexOf(1, to);
  }
  return runs;
}

function cut(run: SimEntity, cuts: ReadonlySet<number>): SimEntity[] {
  const pieces: SimEntity[] = [];
  let from = run.offset;
  for (let at = from + 1; at <= endOf(run); at++) {
    if (at < endOf(run) && !cuts.has(at)) continue;
    pieces.push({ type: run.type, offset: from, length: at - from });
    from = at;
  }
  return pieces;
}

// All at the end; at the beginning what lies before the first entity.
function trimmed(text: string, entities: readonly SimEntity[]): Marked {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\n';
  let end = text.length;
  while (end > 0 && isSpace(end - 1)) end -= 1;
  const first = Math.min(end, entities[0]?.offset ?? end);
  let from = 0;
  while (from < first && isSpace(from)) from += 1;
  const inside = entities.filter(({ offset }) => offset < end);
  const moved = inside.map((e) => ({
    ...e,
    offset: e.offset - from,
    length: Math.min(endOf(e), end) - e.offset,
  }));
  return { text: text.slice(from, end), entities: moved.sort(byPlace) };
}
