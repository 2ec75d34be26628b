// Follows what broadcasts have on the road and writes down how each ends, many at a time. Told by the road's events;
// what those do not tell (a restart, a store that was away) is found in the ledger. Writing an end twice changes
// nothing.

import { WITHDRAWN } from '../domain/delivery.ts';
import type { RoadEvent } from '../domain/event.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Road } from '../road/road.ts';
import type { BroadcastStore, SettleCommand } from '../store/ports/broadcasts.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { End, Running } from './running.ts';
import { canTakeBack } from './withdrawal.ts';

type Row = SettleCommand['rows'][number];

export interface OutcomesParts {
  readonly clock: Clock;
  readonly broadcasts: Pick<BroadcastStore, 'settle' | 'onRoad'>;
  readonly ledger: Pick<Ledger, 'getMany'>;
  readonly road: Pick<Road, 'place' | 'listen'>;
  readonly refusals: Refusals;
  // There is room for more, or someone is to be fed again.
  readonly freed: (running: Running) => void;
  // It waits on the road though its broadcast does not run.
  readonly unwanted: (running: Running, seq: number) => void;
  readonly finished: (id: number) => void;
  readonly count: (running: Running, state: End['state']) => void;
  readonly log: { warn(fields: object, message: string): void };
}

const SAVE_AFTER_MS = 200;
const SAVE_AGAIN_MS = 1_000;
const ROWS_MAX = 500;
// Dead letters that were retried by hand and are on the road now; a broadcast's or not, the journal knows.
const RETRIED_MAX = 10_000;
const GONE: End = { state: 'uncertain', reason: 'record_gone' };

interface Entry {
  readonly running: Running;
  // Its row is on disk.
  isNoted: boolean;
  ended: End | null;
}

export class Outcomes {
  readonly #parts: OutcomesParts;
  readonly #entries = new Map<number, Entry>();
  readonly #retried = new Set<number>();
  // Those of whom someone is to be fed again, as soon as that is on disk.
  readonly #withdrawn = new Set<Running>();
  #rows: Row[] = [];
  // Whose they are.
  readonly #unsaved = new Set<number>();
  #timer: Timer | null = null;
  #saving: Promise<void> = Promise.resolve();
  #isStopped = false;
  // Set while what is sent concerns a broadcast, or may come to a chat that has refused.
  #unlisten: (() => void) | null = null;

  constructor(parts: OutcomesParts) {
    this.#parts = parts;
    parts.road.listen(this.#listen, 'trouble');
    this.#followSent();
  }

  // Once it is known that nobody refuses anybody, what is sent need not be listened to.
  async start(): Promise<void> {
    await this.#parts.refusals.start();
    this.#leaveSent();
  }

  #followSent(): void {
    this.#unlisten ??= this.#parts.road.listen(this.#listen, 'routine');
  }

  #leaveSent(): void {
    const isOver = this.#entries.size === 0 && this.#retried.size === 0;
    if (!isOver || this.#parts.refusals.mayBeReached) return;
    this.#unlisten?.();
    this.#unlisten = null;
  }

  readonly #listen = (event: RoadEvent): void => {
    if (event.kind !== 'moved') return;
    const { seq } = event.about;
    this.#parts.refusals.see(event);
    const entry = this.#entries.get(seq);
    if (entry === undefined) this.#seeStranger(event);
    else if (event.to !== 'queued' && event.to !== 'sending') {
      this.#end(seq, entry, entry.running.endOf(event.to, event.reason));
    } else if (entry.running.state !== 'running') this.#parts.unwanted(entry.running, seq);
    if (!this.#parts.refusals.hasChanges) return;
    this.#followSent();
    this.#saveSoon();
  };

  // Someone wrote from this chat.
  onUpdate(account: AccountId, chat: string): void {
    this.#parts.refusals.reached(account, chat);
    if (this.#parts.refusals.hasChanges) this.#saveSoon();
  }

  // It is on the road from now on; `noted` tells that its row is on disk.
  follow(running: Running, seq: number): void {
    if (this.#entries.has(seq)) return;
    this.#entries.set(seq, { running, isNoted: false, ended: null });
    this.#followSent();
    running.outstanding += 1;
  }

  // How it ended, if it has by now.
  endedAlready(seq: number): End | null {
    return this.#entries.get(seq)?.ended ?? null;
  }

  noted(seq: number): void {
    const entry = this.#entries.get(seq);
    if (entry === undefined) return;
    entry.isNoted = true;
    if (entry.ended !== null) this.#write(seq, entry, entry.ended);
  }

  // It was taken back from the road.
  withdrawn(seq: number): void {
    const entry = this.#entries.get(seq);
    if (entry !== undefined) this.#endKnown(seq, entry.running.endOf('cancelled', WITHDRAWN));
  }

  // Nothing was noted of it: it will be handed over again, which the road will recognise.
  unfollow(seq: number): void {
    const entry = this.#entries.get(seq);
    if (entry === undefined || !this.#entries.delete(seq)) return;
    if (entry.ended === null) entry.running.outstanding -= 1;
  }

  // Compares what is noted as on the road with the ledger; answers what could be taken back from it.
  async reconcile(running: Running): Promise<number[]> {
    const { broadcasts, ledger } = this.#parts;
    const untouched: number[] = [];
    await this.save();
    for (let after = 0; ; ) {
      const page = await broadcasts.onRoad({ id: running.id, after, max: ROWS_MAX });
      // What has ended since is known better here than there.
      const seqs = page.map(({ seq }) => seq).filter((seq) => !this.#unsaved.has(seq));
      for (const seq of seqs) {
        this.follow(running, seq);
        this.#entries.get(seq)!.isNoted = true;
      }
      const records = await ledger.getMany(seqs);
      const bySeq = new Map(records.map((record) => [record.seq, record]));
      for (const seq of seqs) {
        const record = bySeq.get(seq);
        const end = record === undefined ? GONE : running.endOf(record.state, record.reason);
        if (end.state !== 'queued') this.#endKnown(seq, end);
        else if (canTakeBack(record!)) untouched.push(seq);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS_MAX) return untouched;
      after = last.n;
    }
  }

  // When the last of its deliveries is expected to go; null: none waits.
  lastOf(running: Running): number | null {
    let last: number | null = null;
    for (const [seq, entry] of this.#entries) {
      if (entry.running !== running || entry.ended !== null) continue;
      last = Math.max(last ?? 0, this.#parts.road.place(seq)?.eta ?? 0);
    }
    return last;
  }

  // Resolves when all that ended before is on disk, or could not be put there.
  save(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async stop(): Promise<void> {
    await this.save();
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #endKnown(seq: number, end: End): void {
    const entry = this.#entries.get(seq);
    if (entry !== undefined && entry.ended === null) this.#end(seq, entry, end);
  }

  #end(seq: number, entry: Entry, end: End): void {
    const { running } = entry;
    if (entry.ended === null) running.outstanding -= 1;
    entry.ended = end;
    if (end.state !== 'pending') running.rate.note(this.#parts.clock.now());
    if (entry.isNoted) this.#write(seq, entry, end);
    this.#parts.freed(running);
  }

  #write(seq: number, { running }: Entry, end: End): void {
    this.#entries.delete(seq);
    this.#push({ seq, ...end });
    if (end.state === 'pending') this.#withdrawn.add(running);
    if (end.state !== 'pending') this.#parts.count(running, end.state);
  }

  // Only what a person put back on the road can be of a broadcast and yet be a stranger.
  #seeStranger({ about, from, to, reason }: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { seq } = about;
    if (to === 'queued' && (from === 'dead' || from === 'uncertain')) {
      if (this.#retried.size >= RETRIED_MAX) return;
      this.#retried.add(seq);
      this.#followSent();
      this.#push({ seq, state: 'queued', reason: null });
    } else if (this.#retried.has(seq) && to !== 'queued' && to !== 'sending') {
      this.#retried.delete(seq);
      const state = to === 'superseded' || to === 'expired' ? 'cancelled' : to;
      this.#push({ seq, state, reason });
    }
  }

  #push(row: Row): void {
    this.#rows.push(row);
    this.#unsaved.add(row.seq);
    this.#saveSoon();
  }

  #saveSoon(delayMs = SAVE_AFTER_MS): void {
    if (this.#timer !== null || this.#isStopped) return;
    const { clock } = this.#parts;
    this.#timer = clock.schedule(clock.now() + delayMs, () => void this.save());
  }

  async #save(): Promise<void> {
    const { clock, broadcasts, refusals, finished, log } = this.#parts;
    try {
      while (this.#rows.length > 0) {
        const rows = this.#rows.slice(0, ROWS_MAX);
        const { done } = await broadcasts.settle({ rows, at: clock.now() });
        this.#rows.splice(0, rows.length);
        for (const { seq } of rows) this.#unsaved.delete(seq);
        for (const id of done) finished(id);
      }
      for (const running of this.#withdrawn) {
        running.isFed = false;
        this.#parts.freed(running);
      }
      this.#withdrawn.clear();
      if (refusals.hasChanges) await refusals.save(clock.now());
      this.#leaveSent();
    } catch (error) {
      log.warn({ err: error }, 'could not save outcomes of a broadcast; trying again');
      this.#saveSoon(SAVE_AGAIN_MS);
    }
  }
}

// Which chats refuse an account: the user blocked the bot, is gone, or it was put out. Learned from every delivery that
// ends so, whoever sent it; forgotten when something reaches the chat after all, or someone writes from it.
// Only changes are held in memory: an account may be refused by a million.

// Beyond it changes are lost, which costs a call that is refused again.
const CHANGES_MAX = 10_000;

interface Change {
  readonly account: AccountId;
  readonly chat: string;
  // null: it does not refuse any more.
  readonly reason: string | null;
}

export class Refusals {
  readonly #broadcasts: Pick<BroadcastStore, 'block' | 'unblock' | 'isBlocked'>;
  readonly #platforms: ReadonlyMap<string, Platform>;
  readonly #changes = new Map<string, Change>();
  // Accounts that someone refuses; those not asked about yet are missing.
  readonly #refused = new Map<string, boolean>();
  readonly #asked = new Set<string>();
  #isAny = false;

  constructor(
    broadcasts: Pick<BroadcastStore, 'block' | 'unblock' | 'isBlocked'>,
    platforms: ReadonlyMap<string, Platform>,
  ) {
    this.#broadcasts = broadcasts;
    this.#platforms = platforms;
  }

  // A store that is away is taken to hold some.
  async start(): Promise<void> {
    try {
      this.#isAny ||= await this.#broadcasts.isBlocked({ account: null });
    } catch {
      this.#isAny = true;
    }
  }

  // Somebody refuses an account, so that something may reach one who did.
  get mayBeReached(): boolean {
    return this.#isAny;
  }

  get hasChanges(): boolean {
    return this.#changes.size > 0;
  }

  see(event: Extract<RoadEvent, { kind: 'moved' }>): void {
    const { account, chat } = event.about;
    const { reason } = event;
    if (event.to === 'sent') this.reached(account, chat);
    else if (event.to === 'dead' && reason !== null && this.#isRefusal(account, reason)) {
      this.#isAny = true;
      this.#refused.set(account, true);
      this.#asked.delete(account);
      this.#note({ account, chat, reason });
    }
  }

  #isRefusal(account: AccountId, reason: string): boolean {
    const rules = this.#platforms.get(platformOf(account))?.broadcast;
    return rules?.unreachable.includes(reason) ?? false;
  }

  // Something reached the chat, or came from it.
  reached(account: AccountId, chat: string): void {
    const isRefused = this.#refused.get(account);
    if (isRefused === false) return;
    if (isRefused === undefined) this.#ask(account);
    this.#note({ account, chat, reason: null });
  }

  async save(at: number): Promise<void> {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    const refusing = changes.flatMap(({ account, chat, reason }) =>
      reason === null ? [] : [{ account, chat, reason }],
    );
    const reached = changes.filter(({ reason }) => reason === null);
    if (refusing.length > 0) await this.#broadcasts.block({ chats: refusing, at });
    const chats = reached.map(({ account, chat }) => ({ account, chat }));
    if (chats.length > 0) await this.#broadcasts.unblock({ chats });
  }

  // Nobody refuses most accounts: then what reaches their chats need not be looked up.
  #ask(account: AccountId): void {
    this.#refused.set(account, true);
    this.#asked.add(account);
    this.#broadcasts.isBlocked({ account }).then(
      (isBlocked) => {
        // Unless someone has refused it meanwhile.
        if (this.#asked.delete(account)) this.#refused.set(account, isBlocked);
      },
      () => this.#refused.delete(account),
    );
  }

  #note(change: Change): void {
    const key = `${change.account}\0${change.chat}`;
    if (this.#changes.size < CHANGES_MAX || this.#changes.has(key)) this.#changes.set(key, change);
  }
}
