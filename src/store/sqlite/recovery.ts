// Reading back what is alive, for both sides of the worker. A million rows must neither be cloned
// one by one nor each carry its own copy of its chat's name: a page crosses as columns, numbers as
// transferred typed arrays, names as indexes into a dictionary that grows from page to page.

import type { Family } from '../../domain/call.ts';
import { laneOf, type Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { type Database, prepareArrays, type Statement } from '../../system/databases/sqlite.ts';
import type { Recovered } from '../ports/recovery.ts';
import { curesOf } from './wire.ts';

// Per row: account, chat, lane, user, method, family, budget (dictionary), priority and flags, bytes.
const CODES = 9;
// Per row: seq, enterAt, rank, dueAt, expiresAt, cost.
const NUMBERS = 6;
const FLAG_LIVE = 4;
const FLAG_FINAL = 8;
const FLAG_SENDING = 16;
const PRIORITY_MASK = 3;
// Dictionary index of null.
const NO_WORD = 0;

// A page is read, crosses and is taken up while it is young: what only carries it is gone before the collector would
// have to move it.
export const PAGE_ROWS_MAX = 4_096;
const PAGES_AHEAD = 3;

// To make a value of a column costs as much as to find it, so flags come in one, and what only a delivery in flight is
// asked for by itself.
export const LIVE_PAGE = `SELECT seq, account, chat, session, thread, user, method, family, budget,
  priority + ${FLAG_LIVE} * live + ${FLAG_FINAL} * final
  + ${FLAG_SENDING} * (state = 'sending'), octet_length(body), enter_at, rank, due_at,
  expires_at, cost, slot, correlation FROM deliveries INDEXED BY deliveries_live
  WHERE settled_at IS NULL AND seq > ? ORDER BY seq LIMIT ${PAGE_ROWS_MAX}`;

export const SENDING = `SELECT attempts, accepted_at, failures, doubts, cures FROM deliveries
  WHERE seq = ?`;

type LiveRow = [
  seq: number,
  account: AccountId,
  chat: string,
  session: string | null,
  thread: string | null,
  user: string | null,
  method: string,
  family: Family,
  budget: string,
  flags: number,
  // null: retention has removed its payload.
  bytes: number | null,
  enterAt: number,
  rank: number,
  dueAt: number,
  expiresAt: number,
  cost: number,
  slot: string | null,
  correlation: string | null,
];

type Sending = [
  n: number,
  acceptedAt: number,
  failures: number,
  doubts: number,
  cures: string | null,
];

export interface RecoveryPage {
  readonly rows: number;
  // New, to be added to the dictionary.
  readonly words: string[];
  readonly codes: Uint32Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  // Rare, by row.
  readonly slots: Map<number, string>;
  readonly correlations: Map<number, string>;
  readonly sending: Map<number, Sending>;
}

interface Reading {
  readonly dictionary: Map<string, number>;
  seqLast: number;
}

export class PageWriter {
  readonly #live: Statement;
  readonly #sending: Statement;
  // By recovery: several accounts may be recovered at once, each by a reader that knows only its own pages.
  readonly #underWay = new Map<number, Reading>();

  constructor(db: Database) {
    this.#live = prepareArrays(db, LIVE_PAGE);
    this.#sending = prepareArrays(db, SENDING);
  }

  // The first page, or the next one; an empty one after the last.
  read(recovery: number, isFirst: boolean): RecoveryPage {
    if (isFirst) this.#underWay.set(recovery, { dictionary: new Map(), seqLast: 0 });
    const reading = this.#underWay.get(recovery);
    const rows = (reading === undefined
      ? []
      : this.#live.all(reading.seqLast)) as unknown as LiveRow[];
    const page: RecoveryPage = {
      rows: rows.length,
      words: [],
      codes: new Uint32Array(rows.length * CODES),
      numbers: new Float64Array(rows.length * NUMBERS),
      slots: new Map(),
      correlations: new Map(),
      sending: new Map(),
    };
    const word = (text: string | null) => wordIn(reading!.dictionary, page, text);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      write(page, i, row, word);
      if ((row[9] & FLAG_SENDING) !== 0) {
        page.sending.set(i, this.#sending.get(row[0]) as unknown as Sending);
      }
    }
    if (rows.length < PAGE_ROWS_MAX) this.#underWay.delete(recovery);
    else reading!.seqLast = rows.at(-1)![0];
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
  codes[code + 7] = row[9];
  codes[code + 8] = row[10] ?? 0;
  const number = i * NUMBERS;
  numbers[number] = row[0];
  numbers[number + 1] = row[11];
  numbers[number + 2] = row[12];
  numbers[number + 3] = row[13];
  numbers[number + 4] = row[14];
  numbers[number + 5] = row[15];
  if (row[16] !== null) page.slots.set(i, row[16]);
  if (row[17] !== null) page.correlations.set(i, row[17]);
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

  accountOf({ codes }: RecoveryPage, i: number): AccountId {
    return this.#words[codes[i * CODES]!] as AccountId;
  }

  recovered(page: RecoveryPage, i: number): Recovered {
    const queued = this.#queued(page, i);
    const sending = page.sending.get(i);
    if (sending === undefined) return { kind: 'queued', queued };
    const [n, acceptedAt, failures, doubts, cures] = sending;
    const past = { acceptedAt, failures, doubts, cures: curesOf(cures) };
    return { kind: 'sending', queued, n, past };
  }

  #queued({ codes, numbers, slots, correlations }: RecoveryPage, i: number): Queued {
    const words = this.#words;
    const code = i * CODES;
    const number = i * NUMBERS;
    const flags = codes[code + 7]!;
    return {
      seq: plain(numbers[number]!),
      account: words[codes[code]!] as AccountId,
      chat: words[codes[code + 1]!] as string,
      lane: words[codes[code + 2]!] as string,
      user: words[codes[code + 3]!] as string | null,
      correlation: correlations.get(i) ?? null,
      method: words[codes[code + 4]!] as string,
      family: words[codes[code + 5]!] as Family,
      budget: words[codes[code + 6]!] as string,
      priority: PRIORITIES[flags & PRIORITY_MASK]!,
      cost: plain(numbers[number + 5]!),
      live: (flags & FLAG_LIVE) !== 0,
      final: (flags & FLAG_FINAL) !== 0,
      slot: slots.get(i) ?? null,
      enterAt: numbers[number + 1]!,
      rank: plain(numbers[number + 2]!),
      dueAt: plain(numbers[number + 3]!),
      expiresAt: plain(numbers[number + 4]!),
      bytes: codes[code + 8]!,
    };
  }
}

// What is read from an array of doubles is kept as one, in a box of 16 bytes outside its object. A small whole number
// needs none, if it is made one first.
function plain(value: number): number {
  const whole = value | 0;
  return whole === value ? whole : value;
}

// Pages are asked for some ahead, so that the worker reads while this side builds, and neither waits for the other to
// be given a core.
export async function* recoverPages(
  fetch: (isFirst: boolean) => Promise<RecoveryPage>,
): AsyncGenerator<RecoveryPage> {
  const asked = [fetch(true)];
  while (asked.length < PAGES_AHEAD) asked.push(fetch(false));
  // One that nobody waits for any more may fail.
  for (const each of asked) each.catch(() => {});
  for (;;) {
    const page = await asked.shift()!;
    const isLast = page.rows < PAGE_ROWS_MAX;
    if (!isLast) {
      const next = fetch(false);
      next.catch(() => {});
      asked.push(next);
    }
    yield page;
    if (isLast) return;
  }
}
