// Reading back what is alive, for both sides of the worker. A million rows must neither be cloned
// one by one nor each carry its own copy of its chat's name: a page crosses as columns, numbers as
// transferred typed arrays, names as indexes into a dictionary that grows from page to page.

import type { Family, Gate } from '../../domain/call.ts';
import { laneOf, type Queued } from '../../domain/delivery.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { type Database, prepareArrays, type Statement } from '../../system/databases/sqlite.ts';
import type { Recovered } from '../ports/recovery.ts';
import { QUEUED_COLUMNS, type QueuedRow } from './rows.ts';
import { curesOf } from './wire.ts';

export const PAGE_ROWS_MAX = 16_384;

export const LIVE_PAGE = `SELECT ${QUEUED_COLUMNS}, state = 'sending', attempts, accepted_at,
  failures, doubts, cures FROM deliveries INDEXED BY deliveries_live
  WHERE settled_at IS NULL AND seq > ? ORDER BY seq LIMIT ${PAGE_ROWS_MAX}`;

type LiveRow = [
  ...queued: QueuedRow,
  sending: number,
  attempts: number,
  acceptedAt: number,
  failures: number,
  doubts: number,
  cures: string | null,
];

// Per row: account, chat, lane, user, method, family, gate (dictionary), priority and flags.
const CODES = 8;
// Per row: seq, enterAt, rank, dueAt, expiresAt, cost, bytes.
const NUMBERS = 7;
const FLAG_LIVE = 4;
const FLAG_FINAL = 8;
const PRIORITY_MASK = 3;
// Dictionary index of null.
const NO_WORD = 0;

export interface RecoveryPage {
  readonly rows: number;
  // New, to be added to the dictionary.
  readonly words: string[];
  readonly codes: Uint32Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  // Rare, by row.
  readonly slots: Map<number, string>;
  readonly correlations: Map<number, string>;
  readonly sending: Map<number, { n: number; record: [number, number, number, string | null] }>;
}

export class PageWriter {
  readonly #statement: Statement;
  // By recovery: several accounts may be recovered at once, each by a reader that knows only its own pages.
  readonly #dictionaries = new Map<number, Map<string, number>>();

  constructor(db: Database) {
    this.#statement = prepareArrays(db, LIVE_PAGE);
  }

  read(recovery: number, afterSeq: number): RecoveryPage {
    const dictionary = this.#dictionaries.get(recovery) ?? new Map<string, number>();
    const rows = this.#statement.all(afterSeq) as unknown as LiveRow[];
    const page: RecoveryPage = {
      rows: rows.length,
      words: [],
      codes: new Uint32Array(rows.length * CODES),
      numbers: new Float64Array(rows.length * NUMBERS),
      slots: new Map(),
      correlations: new Map(),
      sending: new Map(),
    };
    const word = (text: string | null) => wordIn(dictionary, page, text);
    for (let i = 0; i < rows.length; i += 1) write(page, i, rows[i]!, word);
    if (rows.length < PAGE_ROWS_MAX) this.#dictionaries.delete(recovery);
    else this.#dictionaries.set(recovery, dictionary);
    return page;
  }
}

function write(
  page: RecoveryPage,
  i: number,
  row: LiveRow,
  word: (text: string | null) => number,
): void {
  const { codes, numbers } = page;
  const code = i * CODES;
  codes[code] = word(row[1]);
  codes[code + 1] = word(row[2]);
  codes[code + 2] = word(laneOf({ session: row[3], thread: row[4], family: row[7] }));
  codes[code + 3] = word(row[5]);
  codes[code + 4] = word(row[6]);
  codes[code + 5] = word(row[7]);
  codes[code + 6] = word(row[8]);
  codes[code + 7] = row[9] + row[11] * FLAG_LIVE + row[12] * FLAG_FINAL;
  const number = i * NUMBERS;
  numbers[number] = row[0];
  numbers[number + 1] = row[14];
  numbers[number + 2] = row[15];
  numbers[number + 3] = row[16];
  numbers[number + 4] = row[17];
  numbers[number + 5] = row[10];
  numbers[number + 6] = row[18];
  if (row[13] !== null) page.slots.set(i, row[13]);
  if (row[19] !== null) page.correlations.set(i, row[19]);
  if (row[20] === 1) {
    page.sending.set(i, { n: row[21], record: [row[22], row[23], row[24], row[25]] });
  }
}

function wordIn(dictionary: Map<string, number>, page: RecoveryPage, word: string | null): number {
  if (word === null) return NO_WORD;
  const known = dictionary.get(word);
  if (known !== undefined) return known;
  const added = dictionary.size + 1;
  dictionary.set(word, added);
  page.words.push(word);
  return added;
}

export class PageReader {
  readonly #words: (string | null)[] = [null];

  add(page: RecoveryPage): void {
    for (const word of page.words) this.#words.push(word);
  }

  accountOf({ codes }: RecoveryPage, i: number): string {
    return this.#words[codes[i * CODES]!] as string;
  }

  recovered(page: RecoveryPage, i: number): Recovered {
    const queued = this.#queued(page, i);
    const sending = page.sending.get(i);
    if (sending === undefined) return { kind: 'queued', queued };
    const [acceptedAt, failures, doubts, cures] = sending.record;
    const record = { acceptedAt, failures, doubts, cures: curesOf(cures) };
    return { kind: 'sending', queued, n: sending.n, record };
  }

  #queued({ codes, numbers, slots, correlations }: RecoveryPage, i: number): Queued {
    const words = this.#words;
    const code = i * CODES;
    const number = i * NUMBERS;
    const flags = codes[code + 7]!;
    return {
      seq: numbers[number]!,
      account: words[codes[code]!] as string,
      chat: words[codes[code + 1]!] as string,
      lane: words[codes[code + 2]!] as string,
      user: words[codes[code + 3]!] as string | null,
      correlation: correlations.get(i) ?? null,
      method: words[codes[code + 4]!] as string,
      family: words[codes[code + 5]!] as Family,
      gate: words[codes[code + 6]!] as Gate,
      priority: PRIORITIES[flags & PRIORITY_MASK]!,
      cost: numbers[number + 5]!,
      live: (flags & FLAG_LIVE) !== 0,
      final: (flags & FLAG_FINAL) !== 0,
      slot: slots.get(i) ?? null,
      enterAt: numbers[number + 1]!,
      rank: numbers[number + 2]!,
      dueAt: numbers[number + 3]!,
      expiresAt: numbers[number + 4]!,
      bytes: numbers[number + 6]!,
    };
  }
}

// Pages are asked for one ahead, so that the worker reads while this side builds.
export async function* recoverPages(
  fetch: (afterSeq: number) => Promise<RecoveryPage>,
): AsyncGenerator<RecoveryPage> {
  let next: Promise<RecoveryPage> | null = fetch(0);
  while (next !== null) {
    const page: RecoveryPage = await next;
    const isLast: boolean = page.rows < PAGE_ROWS_MAX;
    next = isLast ? null : fetch(page.numbers[(page.rows - 1) * NUMBERS]!);
    yield page;
  }
}
