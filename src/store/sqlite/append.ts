// Accepting a delivery: the hot path of the worker. Words are bound straight from the batch's
// array; a plain message (no slot, no idempotency key) costs its row and nothing else. Numbers
// are drawn here and never reused: retention writes down the last one before it removes a row.

import { inheritedPlace, type SlotEntry } from '../../domain/delivery.ts';
import { sharedKey } from '../../domain/idempotency.ts';
import { rowCheck } from '../../system/databases/row-check.ts';
import { type Database, prepareArrays } from '../../system/databases/sqlite.ts';
import { Ranks } from '../ranks.ts';
import { BY_SLUICE, digestOf, IDEMPOTENCY_MS, SUPERSEDED, yieldsTo } from '../rules.ts';
import type { SqliteCommands } from './commands.ts';
import { PlainInserts } from './plain.ts';
import { APPENDED, OWN, SHARED } from './wire.ts';

type Words = readonly (string | number | null)[];

// Where the words of an append lie, counted from its first; see writeAppend.
const AT = {
  account: 0,
  chat: 2,
  thread: 3,
  method: 7,
  final: 13,
  slot: 14,
  notBefore: 15,
  acceptedAt: 17,
  idempotencyKey: 18,
  body: 19,
  queueMax: 20,
  files: 21,
  held: 22,
  repeats: 23,
  print: 24,
  epoch: 25,
  copyOf: 26,
} as const;
export const APPEND_WORDS = 27;
// The first of them, up to the idempotency key, are columns.
const GIVEN_WORDS = 19;

export class Appender {
  seqLast: number;
  readonly #commands: SqliteCommands;
  readonly #plain: PlainInserts;
  readonly #ranks: Ranks;

  constructor(db: Database, commands: SqliteCommands) {
    this.#commands = commands;
    this.#plain = new PlainInserts(db);
    const last = prepareArrays(
      db,
      `SELECT max(value, coalesce((SELECT max(seq) FROM deliveries), 0))
       FROM meta WHERE name = 'seq_last'`,
    ).get() as unknown as [number];
    this.seqLast = last[0];
    this.#ranks = new Ranks(this.seqLast);
  }

  append(words: Words, from: number, out: unknown[]): void {
    const account = words[from + AT.account] as string;
    if (this.#commands.owners.isOlder(account, words[from + AT.epoch] as number)) {
      out.push(APPENDED.notOwner, 0);
      return;
    }
    const key = words[from + AT.idempotencyKey] as string | null;
    if (key !== null && this.#isKnown(words, from, key, out)) return;

    const slot = words[from + AT.slot] as string | null;
    const acceptedAt = words[from + AT.acceptedAt] as number;
    const rival = slot === null ? null : this.#commands.waitingIn(account, slot);
    const seq = this.seqLast + 1;
    if (rival !== null && yieldsTo({ seq, final: words[from + AT.final] === 1 }, rival)) {
      this.#insertLate(words, from, seq, rival.seq);
      out.push(APPENDED.superseded, seq, rival.seq);
      return;
    }

    const queueMax = words[from + AT.queueMax] as number;
    const waiting = this.#commands.tallies.waiting(account);
    if (waiting - (rival === null ? 0 : 1) >= queueMax) {
      out.push(APPENDED.full, waiting, queueMax);
      return;
    }
    if (rival !== null) {
      this.#commands.supersede(rival.seq, seq, acceptedAt);
      this.#commands.tallies.move(account, 'queued', 'superseded');
    }
    const notBefore = words[from + AT.notBefore] as number;
    const place =
      rival === null
        ? this.#ownPlace(words, from)
        : inheritedPlace(rival, { acceptedAt, notBefore });
    this.#insert(words, from, seq, place);
    this.#commands.tallies.add(account, 'queued', 1);
    if (rival === null) out.push(APPENDED.accepted, seq, place.rank);
    else out.push(APPENDED.replacing, seq, rival.seq, place.enterAt, place.rank);
  }

  // Whether it is begun. `shared` and `own`: where in the batch these words of it begin.
  appendPlain(words: Words, shared: number, own: number, out: unknown[]): boolean {
    const { tallies, owners } = this.#commands;
    const account = words[shared + SHARED.account] as string;
    if (owners.isOlder(account, words[shared + SHARED.epoch] as number)) {
      out.push(APPENDED.notOwner, 0);
      return false;
    }
    const queueMax = words[shared + SHARED.queueMax] as number;
    const waiting = tallies.waiting(account);
    if (waiting >= queueMax) {
      out.push(APPENDED.full, waiting, queueMax);
      return false;
    }
    const seq = this.seqLast + 1;
    this.seqLast = seq;
    const rank = this.#ranks.next(account);
    if (words[own + OWN.beginAt] === 0) {
      this.#plain.add(seq, rank, words, shared, own);
      tallies.add(account, 'queued', 1);
      out.push(APPENDED.accepted, seq, rank);
      return false;
    }
    this.flush();
    this.#insertBegun(seq, rank, words, shared, own);
    tallies.add(account, 'sending', 1);
    out.push(APPENDED.begun, seq, rank);
    return true;
  }

  #insertBegun(seq: number, rank: number, words: Words, shared: number, own: number): void {
    const { statements } = this.#commands;
    const chat = words[own + OWN.chat] as string;
    const method = words[shared + SHARED.method] as string;
    const body = words[own + OWN.body] as string;
    statements.insertBegun.run(
      seq,
      words[shared + SHARED.account]!,
      words[shared + SHARED.platform]!,
      chat,
      method,
      words[shared + SHARED.family]!,
      words[shared + SHARED.budget]!,
      words[shared + SHARED.priority]!,
      words[own + OWN.acceptedAt]!,
      body,
      words[own + OWN.held]!,
      rowCheck(seq, chat, null, method, body),
      rank,
    );
    statements.insertAttempt.run(seq, 1, words[own + OWN.beginAt]!, null);
  }

  // Plain messages may lie here until this is called: before any other command, and before the commit.
  flush(): void {
    this.#plain.flush();
  }

  // Accounts have got other ids.
  renamed(): void {
    this.#ranks.restart(this.seqLast);
  }

  rollback(): void {
    this.#plain.drop();
  }

  #isKnown(words: Words, from: number, key: string, out: unknown[]): boolean {
    const account = words[from + AT.account] as string;
    const acceptedAt = words[from + AT.acceptedAt] as number;
    const { findKey } = this.#commands.statements;
    const shared = sharedKey(key);
    const earlier =
      findKey.get(account, key, acceptedAt) ??
      (shared === null ? undefined : findKey.get(account, shared, acceptedAt));
    if (earlier === undefined) return false;
    if (earlier.digest === digestOfWords(words, from)) {
      out.push(APPENDED.repeated, earlier.seq, earlier.state);
    } else {
      out.push(APPENDED.conflict, earlier.seq);
    }
    return true;
  }

  #ownPlace(words: Words, from: number): SlotEntry {
    const rank = this.#ranks.next(words[from + AT.account] as string);
    return { enterAt: enterAtOf(words, from), rank };
  }

  #insert(words: Words, from: number, seq: number, { enterAt, rank }: SlotEntry): void {
    const given = words.slice(from, from + GIVEN_WORDS);
    this.#commands.statements.insert.run(
      seq,
      ...given,
      enterAt,
      rank,
      words[from + AT.body]!,
      words[from + AT.held]!,
      words[from + AT.repeats]!,
      checkOfWords(words, from, seq),
    );
    this.#insertRest(words, from, seq);
  }

  // Superseded at once, yet on record: nothing that was accepted goes untold.
  #insertLate(words: Words, from: number, seq: number, by: number): void {
    const { statements, tallies } = this.#commands;
    const given = words.slice(from, from + GIVEN_WORDS);
    const at = words[from + AT.acceptedAt] as number;
    const asked = [
      words[from + AT.held]!,
      words[from + AT.repeats]!,
      checkOfWords(words, from, seq),
    ];
    const { enterAt, rank } = this.#ownPlace(words, from);
    const rest = [enterAt, rank, words[from + AT.body]!, ...asked];
    statements.insertLate.run(seq, ...given, ...rest, at, by, SUPERSEDED);
    statements.note.run(seq, at, 'queued', 'superseded', SUPERSEDED, BY_SLUICE);
    tallies.add(words[from + AT.account] as string, 'superseded', 1);
    this.#insertRest(words, from, seq);
  }

  #insertRest(words: Words, from: number, seq: number): void {
    const { statements } = this.#commands;
    this.seqLast = seq;
    const files = words[from + AT.files] as string | null;
    if (files !== null) statements.saveFiles.run(seq, files);
    const print = words[from + AT.print] as string | null;
    if (print !== null) statements.savePrint.run(print, seq);
    const origin = words[from + AT.copyOf] as number | null;
    if (origin !== null) statements.saveCopy.run(origin, seq);
    const key = words[from + AT.idempotencyKey]!;
    if (key === null) return;
    const expiresAt = (words[from + AT.acceptedAt] as number) + IDEMPOTENCY_MS;
    const account = words[from + AT.account]!;
    statements.saveKey.run(account, key, seq, digestOfWords(words, from), expiresAt);
  }
}

function enterAtOf(words: Words, from: number): number {
  return Math.max(words[from + AT.acceptedAt] as number, words[from + AT.notBefore] as number);
}

function checkOfWords(words: Words, from: number, seq: number): number {
  return rowCheck(
    seq,
    words[from + AT.chat] as string,
    words[from + AT.thread] as string | null,
    words[from + AT.method] as string,
    words[from + AT.body] as string,
  );
}

function digestOfWords(words: Words, from: number): string {
  return digestOf({
    method: words[from + AT.method] as string,
    chat: words[from + AT.chat] as string,
    thread: words[from + AT.thread] as string | null,
    body: words[from + AT.body] as string,
  });
}
