// The journal's commands in SQL, in the worker, inside the batch's transaction. The journal is the
// only writer, so a command reads its delivery, decides by the table of moves, and writes: no
// condition is repeated in SQL. What it must keep equal to memory/commands.ts is every word of the
// answer.

import { canMove, isWithdrawal, type Queued, type State } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import { assert } from '../../system/assert.ts';
import { type CheckedRow, isIntact, rowCheck } from '../../system/databases/row-check.ts';
import type { Database } from '../../system/databases/sqlite.ts';
import { fingerprintOf, type Same } from '../fingerprint.ts';
import { type CallerHold, HELD, Presence } from '../ports/callers.ts';
import type {
  Begun,
  MoveCommand,
  Moved,
  ReceiptCommand,
  ReceiptEffect,
  Settled,
  Settlement,
} from '../ports/delivery.ts';
import type { StoredLimit } from '../ports/limits.ts';
import { type Kept, NOT_OWNER, type Owner } from '../ports/ownership.ts';
import {
  BY_PLATFORM,
  BY_SLUICE,
  mayBeOut,
  mayStillGo,
  movableFrom,
  receiptMove,
  STATE_OF_PRUNED,
  SUPERSEDED,
  yieldsTo,
} from '../rules.ts';
import { Owners } from './owners.ts';
import { queuedOfRow } from './rows.ts';
import { prepareAll, type Statements } from './statements.ts';
import { Tallies } from './tallies.ts';
import { curesOf } from './wire.ts';

// A delivery as the moves see it.
interface Head {
  readonly seq: number;
  readonly state: State;
  readonly account: AccountId;
  readonly attempts: number;
  readonly doubts: number;
  readonly slot: string | null;
  readonly final: number;
  readonly cures: string | null;
  readonly key: string | null;
  readonly held: CallerHold;
  readonly messageId: string | null;
}

// What its check is of, with the check.
interface Content extends Omit<CheckedRow, 'body'> {
  readonly body: string | null;
  readonly check: number | null;
}

export interface SlotHolder {
  readonly seq: number;
  readonly final: boolean;
  readonly enterAt: number;
  readonly rank: number;
  readonly dueAt: number;
}

export class SqliteCommands {
  readonly tallies: Tallies;
  readonly statements: Statements;
  readonly presence: Presence;
  readonly owners: Owners;

  constructor(db: Database) {
    this.statements = prepareAll(db);
    this.tallies = new Tallies(db);
    this.owners = new Owners(db);
    const { last } = db.prepare('SELECT coalesce(max(seq), 0) AS last FROM deliveries').get()!;
    this.presence = new Presence(Number(last));
  }

  begin(owner: Owner, seq: number, startedAt: number, waitedFor: string | null): Begun {
    if (this.#isOlder(owner)) return NOT_OWNER;
    const row = this.statements.toBegin.get(seq) as unknown as BeginRow | undefined;
    if (row === undefined) return { kind: 'gone', state: STATE_OF_PRUNED };
    const [state, account, attempts, acceptedAt, failures, doubts, cures, ...content] = row;
    const [chat, thread, method, body, check] = content;
    if (account !== owner.account) return NOT_OWNER;
    if (!canMove(state, 'sending')) return { kind: 'gone', state };
    assert(body !== null, 'retention keeps the payload of what still waits');
    const n = attempts + 1;
    this.statements.begin.run(n, seq);
    this.statements.insertAttempt.run(seq, n, startedAt, waitedFor);
    this.tallies.move(account, state, 'sending');
    const past = { acceptedAt, failures, doubts, cures: curesOf(cures) };
    if (!isIntact({ seq, chat, thread, method, body }, check)) return { kind: 'damaged', n, past };
    return { kind: 'begun', n, body, past };
  }

  settle(owner: Owner, s: Settlement): Settled {
    if (this.#isOlder(owner)) return NOT_OWNER;
    const head = this.#head(s.seq);
    if (head === null) return { kind: 'stale', state: STATE_OF_PRUNED };
    if (head.account !== owner.account) return NOT_OWNER;
    if (head.state !== 'sending' || head.attempts !== s.n) {
      return { kind: 'stale', state: head.state };
    }
    this.#endAttempt(s);
    this.#applyCure(s, head);
    this.writeLimits(s.limits);
    const by = s.to === 'queued' ? this.#rivalOver(head, s.endedAt) : null;
    const to = by === null ? s.to : 'superseded';
    this.statements.settle.run(
      by === null ? s.to : head.state,
      s.to === 'queued' ? null : s.endedAt,
      s.reason,
      s.detail,
      s.to === 'queued' ? s.dueAt : null,
      s.failed ? 1 : 0,
      s.doubted ? 1 : 0,
      s.messageId,
      s.to === 'queued' ? head.held : this.#heldAtEnd(head),
      s.seq,
    );
    if (by !== null) this.supersede(s.seq, by, s.endedAt);
    this.tallies.move(head.account, head.state, to);
    return {
      kind: 'settled',
      state: to,
      queued: to === 'queued' ? this.#queued(s.seq) : null,
      supersededBy: by,
    };
  }

  move(owner: Owner, command: MoveCommand): Moved {
    if (this.#isOlder(owner)) return NOT_OWNER;
    const head = this.#head(command.seq);
    if (head === null) return { kind: 'unknown' };
    if (head.account !== owner.account) return NOT_OWNER;
    const from = head.state;
    if (!movableFrom(command.to).includes(from)) return { kind: 'illegal', state: from };
    if (command.to === 'queued') return this.#retry(head, command);
    if (isWithdrawal(command.reason) && mayBeOut({ ...head, cures: curesOf(head.cures) })) {
      return { kind: 'illegal', state: from };
    }
    this.statements.moveTo.run(command.to, command.at, command.reason, command.seq);
    this.tallies.move(head.account, from, command.to);
    this.#note(command, from);
    if (isWithdrawal(command.reason) && head.key !== null) {
      this.statements.dropKey.run(head.account, head.key, head.seq);
    }
    return { kind: 'moved', from, queued: null };
  }

  receipt(owner: Owner, command: ReceiptCommand): ReceiptEffect {
    const { seq, at, status, messageId, detail } = command;
    if (this.#isOlder(owner)) return NOT_OWNER;
    const head = this.#head(seq);
    if (head === null) return { kind: 'unknown' };
    if (head.account !== owner.account) return NOT_OWNER;
    const from = head.state;
    if (from === 'sending') return { kind: 'in_flight' };
    const told = this.statements.told.all(seq, BY_PLATFORM).map(({ reason }) => String(reason));
    const to = receiptMove({ ...head, told }, command);
    if (to === null) return { kind: 'ignored', state: from };
    this.statements.note.run(seq, at, from, to, status, BY_PLATFORM);
    if (to === from) return { kind: 'noted' };
    const [why, words] = to === 'dead' ? [command.reason, detail] : [null, null];
    const held = from === 'queued' ? this.#heldAtEnd(head) : head.held;
    this.statements.receipt.run(to, at, why, words, messageId, held, seq);
    if (to === 'sent' && command.result !== null)
      this.statements.saveResult.run(seq, command.result);
    this.tallies.move(head.account, from, to);
    return { kind: 'moved', from, to, queued: this.#queued(seq) };
  }

  #retry(head: Head, command: MoveCommand): Moved {
    const { seq, at, reason, queueMax } = command;
    const from = head.state;
    const content = this.#content(seq);
    if (command.body === null && content.body === null) return { kind: 'no_body' };
    if (!isIntact(content, content.check)) return { kind: 'damaged' };
    const waiting = this.tallies.waiting(head.account);
    if (waiting >= queueMax) return { kind: 'full', waiting, queueMax };
    if (command.body !== null) this.#saveContent(content, { chat: null, body: command.body });
    this.statements.dropResult.run(seq);
    this.statements.renew.run(seq);
    this.#note(command, from);
    const by = this.#rivalOver(head, at);
    if (by === null) this.statements.moveTo.run('queued', null, reason, seq);
    else this.supersede(seq, by, at);
    this.tallies.move(head.account, from, by === null ? 'queued' : 'superseded');
    return { kind: 'moved', from, queued: by === null ? this.#queued(seq) : null };
  }

  // Who waits in its slot and takes precedence; one that does not is superseded here and now.
  #rivalOver(head: Head, at: number): number | null {
    if (head.slot === null) return null;
    const rival = this.waitingIn(head.account, head.slot);
    if (rival === null) return null;
    if (yieldsTo({ seq: head.seq, final: head.final === 1 }, rival)) return rival.seq;
    this.supersede(rival.seq, head.seq, at);
    this.tallies.move(head.account, 'queued', 'superseded');
    return null;
  }

  waitingIn(account: string, slot: string): SlotHolder | null {
    const row = this.statements.waitingInSlot.get(account, slot);
    if (row === undefined) return null;
    const { seq, final } = row;
    const [enterAt, rank, dueAt] = [Number(row.enter_at), Number(row.rank), Number(row.due_at)];
    return { seq: Number(seq), final: final === 1, enterAt, rank, dueAt };
  }

  supersede(seq: number, by: number, at: number): void {
    this.statements.supersede.run(at, SUPERSEDED, by, seq);
    this.statements.note.run(seq, at, 'queued', 'superseded', SUPERSEDED, BY_SLUICE);
  }

  saveLimits(owner: Owner, records: readonly StoredLimit[]): Kept {
    if (this.#isOlder(owner)) return NOT_OWNER;
    this.writeLimits(records);
    return { kind: 'kept' };
  }

  writeLimits(records: readonly StoredLimit[]): void {
    for (const { account, key, value, updatedAt } of records) {
      if (value === '') this.statements.dropLimit.run(account, key);
      else this.statements.saveLimit.run(account, key, value, updatedAt);
    }
  }

  filesInUse(): string[] {
    const ids = new Set<string>();
    for (const { seq, id, state } of this.statements.spooled.all()) {
      if (state !== null && mayStillGo(state as State)) ids.add(String(id));
      else this.statements.dropFiles.run(seq!);
    }
    return [...ids].sort();
  }

  caller(owner: Owner, seq: number, isThere: boolean): Kept {
    if (this.#isOlder(owner)) return NOT_OWNER;
    const head = this.#head(seq);
    if (head !== null && head.account !== owner.account) return NOT_OWNER;
    if (head === null || head.held === HELD.nobody) return { kind: 'kept' };
    if (isLive(head.state)) this.presence.note(seq, isThere);
    else this.statements.setHeld.run(isThere ? HELD.answered : HELD.waiting, seq);
    return { kind: 'kept' };
  }

  #isOlder({ account, epoch }: Owner): boolean {
    return this.owners.isOlder(account, epoch);
  }

  #heldAtEnd({ seq, held }: Head): CallerHold {
    if (held === HELD.nobody) return held;
    return this.presence.isThere(seq) ? HELD.answered : HELD.waiting;
  }

  #head(seq: number): Head | null {
    return (this.statements.toMove.get(seq) as Head | undefined) ?? null;
  }

  #queued(seq: number): Queued {
    return queuedOfRow(this.statements.queued.get(seq));
  }

  #note(command: MoveCommand, from: State): void {
    const { seq, at, to, reason, by } = command;
    this.statements.note.run(seq, at, from, to, reason, by);
  }

  #endAttempt(s: Settlement): void {
    const { endedAt, outcome, reason, detail, retryAfterMs, seq, n, result } = s;
    this.statements.endAttempt.run(endedAt, outcome, reason, detail, retryAfterMs, seq, n);
    if (result !== null) this.statements.saveResult.run(seq, result);
    // Only an earlier attempt can have left one.
    else if (n > 1) this.statements.dropResult.run(seq);
  }

  // What was asked, before it is changed: by that its caller's repeat is known.
  #keepPrint(seq: number): void {
    const asked = this.statements.asked.get(seq) as Same | undefined;
    if (asked !== undefined) this.statements.savePrint.run(fingerprintOf(asked), seq);
  }

  #applyCure(s: Settlement, head: Head): void {
    if (s.cure === null) return;
    if (head.held !== HELD.nobody) this.#keepPrint(s.seq);
    const cures = JSON.stringify([...curesOf(head.cures), s.cure.name]);
    const before = this.#content(s.seq);
    if (s.cure.chat !== null) this.statements.keepChat.run(s.seq);
    this.statements.cure.run(cures, s.cure.chat, s.seq);
    this.#saveContent(before, s.cure);
  }

  #content(seq: number): Content {
    return this.statements.content.get(seq) as unknown as Content;
  }

  // A row that does not fit its check keeps it: a change must not vouch for what was damaged before.
  #saveContent(before: Content, change: { chat: string | null; body: string | null }): void {
    const { seq, thread, method } = before;
    if (change.body !== null) this.statements.saveBody.run(seq, change.body);
    const chat = change.chat ?? before.chat;
    const body = change.body ?? before.body;
    if (body === null || !isIntact(before, before.check)) return;
    this.statements.saveCheck.run(rowCheck(seq, chat, thread, method, body), seq);
  }
}

function isLive(state: State): boolean {
  return state === 'queued' || state === 'sending';
}

type BeginRow = [
  state: State,
  account: AccountId,
  attempts: number,
  acceptedAt: number,
  failures: number,
  doubts: number,
  cures: string | null,
  chat: string,
  thread: string | null,
  method: string,
  body: string | null,
  check: number | null,
];
