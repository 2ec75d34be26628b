// The memory journal's callers: the specification of callers.ts in the plainest code.

import type { NewDelivery } from '../../domain/delivery.ts';
import { fingerprintOf } from '../fingerprint.ts';
import {
  ANSWER_DOUBT_MS,
  answersRepeat,
  HELD,
  Presence,
  type Unanswered,
  type UnansweredBounds,
} from '../ports/callers.ts';
import type { MemoryDisk } from './disk.ts';

export class MemoryCallers {
  readonly #disk: MemoryDisk;
  readonly #presence: Presence;
  readonly #aliveAt: number;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
    this.#presence = new Presence(disk.seqLast);
    this.#aliveAt = aliveAt(disk);
  }

  hold(seq: number, delivery: NewDelivery): void {
    this.#disk.held.set(seq, { held: HELD.waiting, print: fingerprintOf(delivery) });
  }

  ended(seq: number): void {
    const caller = this.#disk.held.get(seq);
    if (caller === undefined) return;
    caller.held = this.#presence.isThere(seq) ? HELD.answered : HELD.waiting;
  }

  caller(seq: number, isThere: boolean): void {
    const caller = this.#disk.held.get(seq);
    if (caller === undefined || caller.held === HELD.nobody) return;
    if (this.#disk.live.has(seq)) this.#presence.note(seq, isThere);
    else caller.held = isThere ? HELD.answered : HELD.waiting;
  }

  unanswered({ endedMsMax, max }: UnansweredBounds): Unanswered[] {
    const waiting: Unanswered[] = [];
    const answered: Unanswered[] = [];
    for (const [seq, { held, print }] of [...this.#disk.held].sort(([a], [b]) => b - a)) {
      const { state, settledAt } = this.#disk.deliveries.get(seq)!;
      if (!this.#presence.isInherited(seq) || !answersRepeat(state)) continue;
      const endedAt = settledAt ?? Number.POSITIVE_INFINITY;
      if (held === HELD.waiting && endedAt >= this.#aliveAt - endedMsMax) {
        waiting.push({ seq, print, answered: false });
      }
      const isLost = settledAt !== null && settledAt >= this.#aliveAt - ANSWER_DOUBT_MS;
      if (held === HELD.answered && isLost && state !== 'uncertain') {
        answered.push({ seq, print, answered: true });
      }
    }
    const all = [...waiting.slice(0, max), ...answered.slice(0, max)];
    return all.sort((one, other) => one.seq - other.seq);
  }

  allAnswered(): void {
    const since = aliveAt(this.#disk) - ANSWER_DOUBT_MS;
    for (const [seq, caller] of this.#disk.held) {
      const { state, settledAt } = this.#disk.deliveries.get(seq)!;
      const isRecent = settledAt !== null && settledAt >= since && state !== 'uncertain';
      if (isRecent && caller.held === HELD.answered) caller.held = HELD.nobody;
    }
  }
}

function aliveAt(disk: MemoryDisk): number {
  let at = 0;
  for (const { acceptedAt, settledAt, state } of disk.deliveries.values()) {
    const isStuck = state === 'dead' || state === 'uncertain';
    at = Math.max(at, acceptedAt, isStuck ? 0 : (settledAt ?? 0));
  }
  for (const { startedAt, endedAt } of disk.attempts) at = Math.max(at, startedAt, endedAt ?? 0);
  return at;
}
