// Live output, put together: streams are opened, fed and ended here, and the other files of the folder do the rest.
// A stream is in memory from its opening to the end of its final; on disk it is from the first word to retention.

import { INTERNAL, type ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { LiveListener, LiveReading } from '../domain/live.ts';
import type { AskedRoad } from '../road/road.ts';
import type { NotOwner, Owner } from '../store/ports/ownership.ts';
import type { StreamStore } from '../store/ports/streams.ts';
import { JournalUnavailable, TakenOver } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';
import type { Periodic } from '../system/periodic.ts';
import type { Random } from '../system/random.ts';
import { drained, type Service } from '../system/service.ts';
import type { CallPorts } from './calls.ts';
import type { LiveEdits } from './edits.ts';
import { Endings } from './endings.ts';
import { ignoreStore, withdraw } from './finish.ts';
import { KnownStreams } from './known.ts';
import { isSame, nameOfKey, newName } from './naming.ts';
import { ChatPacers } from './pacing/pacing.ts';
import type { LiveSettings } from './policy.ts';
import { storedOf, unsure } from './record.ts';
import { applied, isNothing, Stream } from './stream-state.ts';
import type * as Port from './streams.ts';
import type { CutReason, Fed, Live, NewStream } from './streams.ts';
import { type StreamOwners, takeUpStreams } from './taking.ts';
import { Telling } from './view.ts';
import { StreamWaiters } from './waiters.ts';
import { dueAt } from './watch.ts';
import { StreamWriter } from './writer.ts';

const HOUSEKEEPING_MS = 1000;
const PRODUCER_SILENT: CutReason = 'producer_silent';

export interface LiveOptions extends CallPorts {
  readonly journal: { readonly streams: StreamStore };
  readonly road: AskedRoad;
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly random: Random;
  readonly streamsMax: number;
  readonly unitsMax: number;
  settingsOf(account: AccountId): LiveSettings;
  readonly owners: StreamOwners;
  // Whether this process shows the account's streams; left out: all accounts'.
  readonly owns?: (account: AccountId) => boolean;
  // Told what happens, for metrics and the log.
  readonly publish: LiveListener;
  readonly report: ReportFault;
}

export class LiveStreams implements Live, Service {
  readonly #o: LiveOptions;
  // Repeated edits of one message, by whatever way.
  readonly edits: LiveEdits;
  readonly #streams: KnownStreams;
  readonly #writer: StreamWriter;
  readonly #pacers: ChatPacers;
  readonly #endings: Endings;
  readonly #waiters = new StreamWaiters();
  readonly #telling: Telling;
  #started: Promise<void> | null = null;
  #isStopped = false;
  readonly #housekeeping: Service;

  constructor(options: LiveOptions) {
    this.#o = options;
    const [everyMs, run] = [HOUSEKEEPING_MS, () => this.#keepHouse()];
    this.#housekeeping = options.periodic.job({ name: 'keep_streams', everyMs, run });
    this.#streams = new KnownStreams(options.journal.streams);
    this.#writer = new StreamWriter(options.journal.streams, (stream) => this.#lost(stream));
    const broken = (stream: Stream, error: unknown) => this.#broken(stream, error);
    const isStopped = () => this.#isStopped;
    const ports = { ...options, writer: this.#writer, broken, isStopped };
    this.#pacers = new ChatPacers({ ...ports, streamOf: (id) => this.#streams.get(id) ?? null });
    this.#telling = new Telling(options, this.#pacers);
    this.edits = this.#pacers.edits;
    this.#endings = new Endings(
      {
        ...ports,
        slotFor: (stream, isFinal) => this.#pacers.slotFor(stream, isFinal),
      },
      this.#pacers,
      (stream) => this.#close(stream),
      broken,
    );
  }

  // After the road: what it waits for must be known again.
  start(): Promise<void> {
    this.#started ??= this.#isStopped ? Promise.resolve() : this.#start();
    return this.#started;
  }

  // Everything is on disk when it resolves, also what nobody waited for; streams go on with the next start.
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopped = true;
    const kept = this.#housekeeping.stop(deadlineMs);
    this.#pacers.stop();
    const unsaved = [...this.#streams.here()].filter(({ ops }) => ops.length > 0);
    const saves = unsaved.map((stream) => this.#writer.save(stream));
    await drained(this.#o.clock, [kept, ...saves, ...this.#writer.pending], deadlineMs);
  }

  async open(asked: NewStream): Promise<Port.OpenedStream> {
    if (!this.#owns(asked.account)) throw new TakenOver();
    const { epoch } = await this.#o.owners.of(asked.account);
    return this.#make(asked, async (stream) => {
      stream.epoch = epoch;
      this.#streams.add(stream);
      try {
        await this.#writer.save(stream);
      } catch (error) {
        this.#streams.forget(stream);
        throw error;
      }
      return { kind: 'opened', view: this.#telling.announce(stream) };
    });
  }

  // Of a fleet, where nobody can be found who has its account: on disk, for whoever takes that over. It is written as
  // the owner that was, which the store takes while nobody has taken the account over since.
  openFor(owner: Owner, asked: NewStream): Promise<Port.OpenedStream | NotOwner> {
    return this.#make(asked, async (stream) => {
      const kept = await this.#o.journal.streams.save(owner, storedOf(stream));
      return kept.kind === 'kept' ? { kind: 'opened', view: this.#telling.view(stream) } : kept;
    });
  }

  // Entered in the turn in which it was found that there is none.
  async #make<T>(
    asked: NewStream,
    enter: (stream: Stream) => Promise<T>,
  ): Promise<T | Port.OpenedStream> {
    const { streamsMax, clock, random } = this.#o;
    const { account, key } = asked;
    const now = clock.now();
    const isTaken = (name: string) => this.#streams.has(name);
    const id = key === undefined ? newName(now, random, isTaken) : nameOfKey(account, key);
    const known = key === undefined ? null : await this.#streams.findByKey(account, key);
    if (known !== null) return this.#openedBefore(known, asked);
    if (this.#streams.size >= streamsMax) return { kind: 'full', streamsMax };
    return enter(new Stream(id, asked, this.#pacers.transportOf(asked), now));
  }

  async change(id: string, change: Port.StreamChange, lazy?: 'lazy'): Promise<Fed> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return this.#gone(id);
    const refusal = this.#refusal(stream, change);
    if (refusal !== null) return refusal;
    if (isNothing(change)) {
      stream.fedAt = this.#o.clock.now();
      return { kind: 'taken', view: this.#telling.view(stream) };
    }
    stream.apply({ change, isLazy: lazy === 'lazy' });
    const saved = lazy === 'lazy' ? null : this.#writer.save(stream);
    this.#safely(stream, () => this.#changed(stream));
    await saved;
    return { kind: 'taken', view: this.#telling.announce(stream) };
  }

  async final(id: string, change: Port.StreamChange | null, cut?: CutReason): Promise<Fed> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return this.#gone(id);
    return this.#refusal(stream, change) ?? this.#endSafely(stream, change, cut ?? null);
  }

  async cancel(id: string): Promise<Fed> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return this.#gone(id);
    const refusal = this.#refusal(stream, null);
    if (refusal !== null) return refusal;
    stream.state = 'cancelled';
    stream.endedAt = this.#o.clock.now();
    stream.isCancelling = true;
    this.#leave(stream);
    try {
      await this.#writer.save(stream);
    } catch (error) {
      stream.state = 'open';
      stream.endedAt = null;
      throw error;
    } finally {
      stream.isCancelling = false;
    }
    await withdraw(this.#o, stream);
    return { kind: 'taken', view: this.#close(stream) };
  }

  async get(id: string): Promise<Port.StreamView | null> {
    const stream = await this.#streams.find(id);
    return stream === null ? null : this.#telling.view(stream);
  }

  list(): Port.StreamView[] {
    const streams = [...this.#streams.here()].sort((a, b) => a.openedAt - b.openedAt);
    return streams.map((stream) => this.#telling.view(stream));
  }

  get openCount(): number {
    return this.#streams.size;
  }

  ended(id: string, signal: AbortSignal): Promise<Port.StreamView | null> {
    return this.#streams.has(id) ? this.#waiters.wait(id, signal) : this.get(id);
  }

  listen(listener: (view: Port.StreamView) => void): () => void {
    return this.#telling.listen(listener);
  }

  readings(): LiveReading[] {
    return this.#pacers.readings(this.#streams.here(), this.#o.clock.now());
  }

  async #start(): Promise<void> {
    await this.takeUp();
    await this.#housekeeping.start();
  }

  // Also of a fleet: the streams of the accounts that are this node's from now on.
  takeUp(): Promise<void> {
    return takeUpStreams({
      ...this.#o,
      isKnown: (id, epoch) => this.#streams.get(id)?.epoch === epoch,
      isStopped: () => this.#isStopped,
      takeUp: (stream) => this.#safely(stream, () => this.#recover(stream)),
    });
  }

  // And of one that is not any more. Who waits for one is told how it stands.
  async leave(account: AccountId): Promise<void> {
    for (const stream of [...this.#streams.here()]) {
      if (stream.asked.account !== account) continue;
      this.#leave(stream);
      // Who has it already knows better.
      if (this.#owns(account)) await this.#writer.save(stream).catch(ignoreStore);
      this.#giveUp(stream);
    }
  }

  #giveUp(stream: Stream): void {
    this.#leave(stream);
    stream.isLeft = true;
    this.#streams.forget(stream);
    this.#waiters.resolve(this.#telling.view(stream));
  }

  // The store refused it: its account was taken over, and everything else of that account goes with it.
  #lost(stream: Stream): void {
    this.#giveUp(stream);
    this.#o.owners.lost(stream.owner);
  }

  // The producer gets its whole time again: while we were away it could not write.
  #recover(stream: Stream): void {
    const now = this.#o.clock.now();
    stream.parts = unsure(stream.parts);
    stream.fedAt = now;
    const older = this.#streams.get(stream.id);
    // From before the account went away and came back.
    if (older !== undefined) this.#giveUp(older);
    this.#streams.add(stream);
    if (stream.state === 'finishing') void this.#endings.resume(stream);
    else if (stream.text !== '') {
      stream.staleSince = now;
      this.#pacers.want(stream);
    }
  }

  #keepHouse(): void {
    const now = this.#o.clock.now();
    for (const stream of this.#streams.here())
      if (stream.state === 'open') this.#safely(stream, () => this.#look(stream, now));
    this.#pacers.forgetIdle(now);
  }

  #safely(stream: Stream, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#broken(stream, error);
    }
  }

  #look(stream: Stream, now: number): void {
    const due = dueAt(stream, now);
    if (due === 'end') void this.#endSafely(stream, null, PRODUCER_SILENT).catch(ignoreStore);
    else if (due === 'draft') {
      stream.draftDigest = null;
      stream.staleSince ??= now;
      this.#pacers.want(stream);
    } else if (due === 'type') {
      stream.typedAt = now;
      void this.#pacers.type(stream).catch((error) => this.#broken(stream, error));
    }
  }

  #owns(account: AccountId): boolean {
    return this.#o.owns?.(account) ?? true;
  }

  // Of a fleet, what is open and not here is its account's next owner's.
  async #gone(id: string): Promise<Fed> {
    const view = await this.get(id);
    if (view === null) return { kind: 'unknown' };
    if (view.state === 'open' && this.#o.owns !== undefined) throw new TakenOver();
    return { kind: 'ended', view };
  }

  // null: it may be done. Without a promise: between this answer and the deed nothing may come.
  #refusal(stream: Stream, change: Port.StreamChange | null): Fed | null {
    if (stream.state !== 'open') return { kind: 'ended', view: this.#telling.view(stream) };
    const { unitsMax } = this.#o;
    const units = change === null ? 0 : applied(stream.text, change).length;
    return units > unitsMax ? { kind: 'too_long', unitsMax } : null;
  }

  #changed(stream: Stream): void {
    const now = this.#o.clock.now();
    stream.fedAt = now;
    stream.changedAt = now;
    if (stream.staleSince === null) stream.staleSince = now;
    else {
      stream.superseded += 1;
      this.#o.publish({ kind: 'superseded', platform: stream.asked.platform });
    }
    this.#pacers.changed(stream);
  }

  async #end(
    stream: Stream,
    change: Port.StreamChange | null,
    reason: string | null,
  ): Promise<Fed> {
    const finished = await this.#endings.finish(stream, change, reason);
    if (finished.kind === 'full') return { kind: 'queue_full', queueMax: finished.queueMax };
    this.#o.publish({ kind: 'final', platform: stream.asked.platform, reason });
    return { kind: 'taken', view: this.#telling.announce(stream) };
  }

  async #endSafely(
    stream: Stream,
    change: Port.StreamChange | null,
    reason: string | null,
  ): Promise<Fed> {
    try {
      return await this.#end(stream, change, reason);
    } catch (error) {
      if (error instanceof JournalUnavailable) throw error;
      return { kind: 'ended', view: this.#broken(stream, error) };
    }
  }

  // An exception on its way to the screen, which every further showing would meet again: it has failed, and its text
  // stays in its record.
  #broken(stream: Stream, error: unknown): Port.StreamView {
    const { id, asked } = stream;
    if (stream.reason === INTERNAL || stream.isLeft) return this.#telling.view(stream);
    this.#o.report('stream', error, { stream: id, account: asked.account });
    stream.state = 'failed';
    stream.reason = INTERNAL;
    stream.endedAt ??= this.#o.clock.now();
    stream.submitting = null;
    this.#leave(stream);
    void this.#writer
      .save(stream)
      .catch((cause) => stream.isLeft || this.#o.report('stream', cause, { stream: id }))
      // Known in memory until the disk knows it.
      .finally(() => stream.isLeft || this.#close(stream));
    return this.#telling.announce(stream);
  }

  #leave(stream: Stream): void {
    try {
      this.#pacers.outputOf(stream).gone(stream);
    } catch (error) {
      this.#o.report('stream', error, { stream: stream.id });
    }
  }

  #close(stream: Stream): Port.StreamView {
    this.#streams.forget(stream);
    const view = this.#telling.announce(stream);
    this.#waiters.resolve(view);
    return view;
  }

  async #openedBefore(stream: Stream, asked: NewStream): Promise<Port.OpenedStream> {
    if (!isSame(stream.asked, asked)) return { kind: 'conflict', id: stream.id };
    // Whoever opened it may still be waiting for the disk.
    if (this.#streams.has(stream.id)) await this.#writer.save(stream);
    return { kind: 'repeated', view: this.#telling.view(stream) };
  }
}
