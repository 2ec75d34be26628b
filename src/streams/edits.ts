// Repeated edits of one message are live output, by whatever way they come: the newest text only, in turns with the
// chat's other sessions and at its cadence, as streams are. Such an edit is on disk at once and waits outside its lane
// for its session's turn; a newer one takes its place. Nobody says which edit is the last one, so it is learned: one
// that nothing follows within a few of its message's own gaps has right of way, as a final has. A process that ends
// leaves nothing waiting for long: what is held goes by itself after a while.

import type { NewDelivery } from '../domain/delivery.ts';
import type { LiveListener } from '../domain/live.ts';
import type { AskedRoad, Ended, Explanation } from '../road/road.ts';
import type { Appended } from '../store/ports/delivery.ts';
import type { Clock } from '../system/clock.ts';
import { Deletions } from './deletions.ts';
import { EditSession, GAP_MS_MAX, isEdit, isOver, prospectOf, togetherMs } from './edit-session.ts';
import { endOf } from './end-of.ts';
import type { Output } from './pacing/chat-pacer.ts';
import type { ShowResult } from './showing.ts';

// A held edit goes by itself after this: only when the process that held it is no more.
const HELD_MS_MAX = 30_000;
// The caller of a first edit waits for the platform's own answer if it can be shown this soon.
const FIRST_MS_MAX = 2_000;
// Messages that were edited lately; the one that was longest ago is forgotten.
const SESSIONS_MAX = 20_000;
const LOOKED_AT_MAX = 100;

export interface EditPorts {
  readonly road: AskedRoad;
  readonly clock: Clock;
  readonly publish: LiveListener;
  // Where its chat's live output is shown; null: live output is not paced there.
  outputOf(session: EditSession): Output | null;
  report(error: unknown, about: Pick<EditSession, 'id' | 'account'>): void;
}

export class LiveEdits {
  readonly #p: EditPorts;
  // The one that was edited longest ago first.
  readonly #sessions = new Map<string, EditSession>();
  readonly #previews = new Set<number>();
  readonly #deletions: Deletions;
  // Previews whose place was taken a moment ago.
  readonly #outdated = new Set<number>();
  #isStopped = false;

  constructor(ports: EditPorts) {
    this.#p = ports;
    this.#deletions = new Deletions(ports);
  }

  // As callers see it.
  get road(): AskedRoad {
    const [submit, explain] = [this.submit.bind(this), this.explain.bind(this)];
    const isPreview = (seq: number) => this.#previews.has(seq) || this.#outdated.has(seq);
    return { ...this.#p.road, submit, explain, isPreview, unchanged: this.unchanged.bind(this) };
  }

  get(id: string): EditSession | null {
    return this.#sessions.get(id) ?? null;
  }

  // What the road knows of the message is what it showed before its deletion, and before a text that is held.
  unchanged(delivery: NewDelivery): Ended | null {
    const { road } = this.#p;
    if (this.#sessions.get(EditSession.idOf(delivery))?.isIdle === false) return null;
    const known = road.unchanged(delivery);
    const [message = null] = known === null ? [] : road.touched(delivery);
    return this.#deletions.has(delivery, message) ? null : known;
  }

  // As the road takes it, and held if it is live output.
  submit(delivery: NewDelivery): Promise<Appended> {
    const { road, clock } = this.#p;
    if (this.#isStopped) return road.submit(delivery);
    if (delivery.family === 'delete') {
      this.#letGoBefore(delivery);
      return this.#deletions.submit(delivery);
    }
    if (!isEdit(delivery)) return road.submit(delivery);
    const now = clock.now();
    const id = EditSession.idOf(delivery);
    const session = this.#sessions.get(id);
    const isRepeated = session !== undefined && !isOver(session, now);
    const touched = isRepeated ? session : this.#open(id, delivery, now);
    if (this.#deletions.has(delivery, touched.message)) return road.submit(delivery);
    if (!this.#touch(touched)) return road.submit(delivery);
    const output = this.#p.outputOf(touched);
    if (output === null) return this.#inLane(touched, delivery, isRepeated);
    if (!isRepeated && !this.#isLiveFromFirst(delivery, now)) return road.submit(delivery);
    if (touched.failed !== null) return Promise.resolve(this.#failure(touched, touched.failed));
    this.#noteEdit(touched, delivery, now, isRepeated);
    if (delivery.final) return this.#finish(touched, output, delivery);
    return this.#hold(touched, output, delivery);
  }

  // What the road says of it, unless it is held: then whose turn it waits for, and by when it goes in any case.
  explain(seq: number): Explanation | null {
    const { road, clock } = this.#p;
    const explained = road.explain(seq);
    if (explained === null || !explained.causes.some(({ name }) => name === 'scheduled')) {
      return explained;
    }
    const session = [...this.#sessions.values()].find(({ held }) => held === seq);
    const output = session === undefined ? null : this.#p.outputOf(session);
    if (session === undefined || output === null) return explained;
    const now = clock.now();
    const before = output.turns.before(session.id);
    const turn = road.hindrance(session.prospect) ?? output.turnInWords(now);
    const detail = `${output.beforeInWords(before)}${turn}`;
    const summary = `it is live output and waits for its session's turn: ${detail}`;
    const causes = [{ kind: 'ahead', name: 'session', until: null, detail } as const];
    const eta = Math.min(explained.eta ?? Number.POSITIVE_INFINITY, output.soonest(session, now));
    return { ...explained, position: before.length + 1, eta, summary, causes };
  }

  // Its turn has come.
  async show(session: EditSession): Promise<ShowResult> {
    const { held: seq } = session;
    if (seq === null) return 'nothing';
    this.#p.outputOf(session)?.slots.takePreview(this.#p.clock.now());
    // A newer one took its place just now, and goes as soon as that is known here: this was its turn.
    if (!this.#release(session, seq, null)) return 'waits';
    const { staleSince } = session;
    session.staleSince = null;
    const ended = await endOf(this.#p, seq, () => this.#isStopped);
    session.shown = null;
    this.#answered(session, seq);
    if (ended?.state !== 'sent') {
      this.#refused(session, ended);
      return 'waits';
    }
    const staleMs = Math.max(0, this.#p.clock.now() - (staleSince ?? session.editedAt));
    this.#p.publish({ kind: 'shown', platform: session.platform, session: session.id, staleMs });
    return 'shown';
  }

  stop(): void {
    this.#isStopped = true;
    for (const { quiet } of this.#sessions.values()) quiet?.cancel();
  }

  forgetIdle(now: number): void {
    this.#outdated.clear();
    for (const session of this.#sessions.values()) {
      if (now - session.editedAt <= GAP_MS_MAX) break;
      if (isOver(session, now)) this.#forget(session);
    }
  }

  // What is held of a message goes before the message does: nothing overtakes what was accepted before it.
  #letGoBefore(deletion: NewDelivery): void {
    if (this.#previews.size === 0) return;
    const messages = this.#p.road.touched(deletion);
    for (const session of this.#sessions.values()) {
      const { account, chat, held, message } = session;
      if (held === null || message === null || !messages.includes(message)) continue;
      if (account === deletion.account && chat === deletion.chat) this.#takeForLast(session);
    }
  }

  // A text of a session, by its caller's word; or its message is new, or was changed just now.
  #isLiveFromFirst(delivery: NewDelivery, now: number): boolean {
    if (delivery.live) return true;
    const changedAt = this.#p.road.changedAt(delivery);
    return changedAt !== null && now - changedAt <= GAP_MS_MAX;
  }

  #open(id: string, delivery: NewDelivery, now: number): EditSession {
    const [message = null] = this.#p.road.touched(delivery);
    return new EditSession(id, delivery, message, now);
  }

  // False: there are too many that are at work, and this one is not remembered.
  #touch(session: EditSession): boolean {
    this.#sessions.delete(session.id);
    if (this.#sessions.size >= SESSIONS_MAX && !this.#makeRoom()) return false;
    this.#sessions.set(session.id, session);
    return true;
  }

  #makeRoom(): boolean {
    let left = LOOKED_AT_MAX;
    for (const oldest of this.#sessions.values()) {
      if (oldest.isIdle) {
        this.#forget(oldest);
        return true;
      }
      left -= 1;
      if (left === 0) return false;
    }
    return false;
  }

  #forget(session: EditSession): void {
    session.quiet?.cancel();
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
  }

  #noteEdit(session: EditSession, delivery: NewDelivery, now: number, isRepeated: boolean): void {
    if (isRepeated) session.editedAfter(now - Math.max(session.editedAt, session.answeredAt));
    session.editedAt = now;
    session.prospect = prospectOf(delivery);
    session.quiet?.cancel();
    session.quiet = null;
  }

  // Where live output is not paced a text has the place of the one it replaces. When nothing follows it, it is taken
  // for the last: it goes before what stands right before it in its lane, if those are previews of the chat's other
  // messages or last texts that came after it.
  async #inLane(
    session: EditSession,
    delivery: NewDelivery,
    isRepeated: boolean,
  ): Promise<Appended> {
    const { road, clock } = this.#p;
    this.#noteEdit(session, delivery, clock.now(), isRepeated);
    const appended = await road.submit(delivery);
    session.inLane = appended.kind === 'accepted' ? appended.queued.seq : null;
    if (!isRepeated || session.inLane === null || this.#isStopped) return appended;
    const quietMs = delivery.final ? 0 : session.quietMs();
    session.whenQuiet(clock, quietMs, () => this.#goBeforePreviews(session));
    return appended;
  }

  #goBeforePreviews(session: EditSession): void {
    const { account, chat, inLane: seq, editedAt } = session;
    if (seq === null || !this.#p.road.isWaiting(seq)) return;
    session.isPresumedOver = true;
    const others = new Set<number>();
    for (const other of this.#sessions.values()) {
      if (other.inLane === null || other.account !== account || other.chat !== chat) continue;
      if (!other.isPresumedOver || other.editedAt > editedAt) others.add(other.inLane);
    }
    this.#p.road.goBefore(seq, others);
  }

  async #hold(session: EditSession, asked: Output, delivery: NewDelivery): Promise<Appended> {
    const now = this.#p.clock.now();
    const notBefore = now + HELD_MS_MAX;
    // Before it is written: the next edit may come meanwhile.
    const { isLive } = session;
    const isFirst = session.gapMs === null;
    const written = () => this.#p.road.submit({ ...delivery, live: true, notBefore });
    const appended = await session.asLive(written);
    if (appended.kind !== 'accepted') return appended;
    if (!isLive) this.#p.road.beganLive(session);
    const { queued, replaced } = appended;
    // While it was written the chat may have been forgotten as idle, and taken up again by another's edit.
    const output = this.#p.outputOf(session) ?? asked;
    const isMistaken = session.isFinishing && replaced !== null && replaced === session.shown;
    if (isMistaken) this.#takeBack(session, output);
    // What it replaces had its turn already: so has this one. Not so an edit that nobody took for live output.
    const isDue = replaced !== null && replaced !== session.held && isLive && !isMistaken;
    // The first of its edits went like any other, and on the screen that was its turn.
    if (!isLive && !isFirst && replaced === null) output.turns.shownAhead(session.id, now);
    this.#outdate(session.held);
    if (replaced !== null) this.#p.publish({ kind: 'superseded', platform: session.platform });
    session.held = queued.seq;
    session.staleSince ??= now;
    output.emitted(session);
    if (isDue) {
      if (!isFirst) this.#previews.add(queued.seq);
      this.#release(session, queued.seq, null);
      void this.#follow(session, queued.seq, output);
      return appended;
    }
    output.want(session);
    if (!isFirst || output.soonest(session, now) > now + FIRST_MS_MAX)
      this.#previews.add(queued.seq);
    session.whenQuiet(this.#p.clock, session.quietMs(), () => this.#fallQuiet(session));
    return appended;
  }

  // What was taken for the last still waits, and was not the last: it loses its right of way and its slot. Else a pause
  // of all producers would fill the chat with finals that are none, and the real ones would wait behind them.
  #takeBack(session: EditSession, output: Output): void {
    session.shown = null;
    session.isFinishing = false;
    session.ending += 1;
    output.slots.giveBack();
    output.finals.delete(session.id);
  }

  // Nothing came after it. Of those that fall silent together, whoever was shown least is taken for the last first: it
  // may be a pause of all of them.
  #fallQuiet(session: EditSession): void {
    const { clock } = this.#p;
    const less = this.#p.outputOf(session)?.turns.shownLess(session.id) ?? [];
    const others = less.flatMap((id) => this.#sessions.get(id) ?? []);
    const waitMs = togetherMs(others, clock.now());
    if (waitMs === 0) this.#takeForLast(session);
    else session.whenQuiet(clock, waitMs, () => this.#takeForLast(session));
  }

  #takeForLast(session: EditSession): void {
    const { held: seq } = session;
    const output = this.#p.outputOf(session);
    if (seq === null || output === null || this.#isStopped) return;
    const now = this.#p.clock.now();
    if (this.#release(session, seq, output.slots.takeFinal(now))) {
      session.staleSince = null;
      session.isFinishing = true;
      session.ending += 1;
      session.isPresumedOver = true;
      output.finalWaits(session);
      void this.#follow(session, seq, output, true);
    }
  }

  // Its caller said so.
  async #finish(session: EditSession, output: Output, delivery: NewDelivery): Promise<Appended> {
    const now = this.#p.clock.now();
    const { shown, isFinishing } = session;
    const isWaiting = shown !== null && this.#p.road.isWaiting(shown);
    if (isWaiting && isFinishing) this.#takeBack(session, output);
    const slot = output.slots.takeFinal(now);
    // A text of it that had its turn waits in its lane: this one takes that place.
    const slotAt = isWaiting && !isFinishing ? 0 : slot;
    if (!session.isLive) this.#p.road.beganLive(session);
    session.isLive = true;
    session.isFinishing = true;
    session.ending += 1;
    session.staleSince = null;
    output.finalWaits(session);
    try {
      const appended = await this.#p.road.submit({ ...delivery, live: false, slotAt });
      this.#outdate(session.held);
      session.held = null;
      if (appended.kind === 'accepted') {
        void this.#follow(session, appended.queued.seq, output);
        return appended;
      }
      this.#finished(session, output);
      return appended;
    } catch (error) {
      this.#finished(session, output);
      throw error;
    }
  }

  async #follow(
    session: EditSession,
    seq: number,
    output: Output,
    isPresumed = false,
  ): Promise<void> {
    const { ending } = session;
    try {
      const ended = await endOf(this.#p, seq, () => this.#isStopped);
      if (ended?.state !== 'sent') this.#refused(session, ended);
      // It may not have been the last: then its session has had its next turn.
      else if (isPresumed && ended.seq === seq)
        output.turns.shownAhead(session.id, this.#p.clock.now());
    } catch (error) {
      this.#p.report(error, session);
    }
    this.#answered(session, seq);
    if (session.ending === ending) this.#finished(session, output);
  }

  #answered(session: EditSession, seq: number): void {
    if (!this.#previews.delete(seq)) session.answeredAt = this.#p.clock.now();
  }

  #finished(session: EditSession, output: Output): void {
    session.shown = null;
    if (!session.isFinishing) return;
    session.isFinishing = false;
    output.finalEnded(session);
  }

  // False: it is not waiting any more.
  #release(session: EditSession, seq: number, finalAt: number | null): boolean {
    session.held = null;
    session.shown = seq;
    const isWaiting = this.#p.road.release(seq, finalAt);
    if (!isWaiting) {
      session.shown = null;
      this.#outdate(seq);
    }
    return isWaiting;
  }

  // Of edits that are written together each is replaced before its caller has asked whether to wait for it.
  #outdate(seq: number | null): void {
    if (seq !== null && this.#previews.delete(seq)) this.#outdated.add(seq);
  }

  #refused(session: EditSession, ended: Ended | null): void {
    if (ended?.state === 'dead') session.failed = ended;
  }

  // Its caller was told that all is well: now the truth, once, instead of another call that would end the same.
  #failure(session: EditSession, { seq, state }: Ended): Appended {
    this.#forget(session);
    return { kind: 'repeated', seq, state };
  }
}
