// The plainest engine that keeps the promises: one message at a time per chat, far below every limit, and
// everything on disk before it is done. The checkers are tried on it, whole and with one thing broken.

import { type Clock, sleep } from '../../system/clock.ts';
import type { Reply } from '../../system/http/transport.ts';
import type {
  EngineFactory,
  WorldEnd,
  WorldEngine,
  WorldMessage,
  WorldPorts,
  WorldRecord,
} from './engine.ts';

export type Sabotage =
  | 'drops'
  | 'reorders'
  | 'bursts'
  | 'ignores freezes'
  | 'ignores revocation'
  | 'repeats'
  | 'hides doubts'
  | 'lies'
  | 'freezes all'
  | 'buries'
  | 'sends the cancelled'
  | 'cancels unasked'
  | 'loses the disk';

type Kept = { -readonly [K in keyof WorldRecord]: WorldRecord[K] } & {
  message: WorldMessage;
  params: Record<string, unknown>;
  enterAt: number;
};

interface Disk {
  readonly kept: Kept[];
  // By account and chat: nothing goes before.
  readonly closedUntil: Map<string, number>;
  readonly refused: Set<string>;
}

const GROUP_MS = 3300;
const PRIVATE_MS = 1200;
const BROADCAST_MS = 45;
const BACKOFF_MS = 2000;
const DEADLINE_MS = 30_000;
// Someone may have come who goes first.
const LOOK_AGAIN_MS = 1000;

export function honestEngine(sabotage: Sabotage | null): EngineFactory {
  return async (ports) => {
    const isFresh = ports.disk.content === null || sabotage === 'loses the disk';
    if (isFresh) ports.disk.content = { kept: [], closedUntil: new Map(), refused: new Set() };
    return new HonestEngine(ports, ports.disk.content as Disk, sabotage);
  };
}

class HonestEngine implements WorldEngine {
  readonly #ports: WorldPorts;
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #sabotage: Sabotage | null;
  readonly #busy = new Set<string>();
  readonly #nextOf = new Map<string, number>();
  readonly #waiters = new Map<number, (end: WorldEnd) => void>();

  constructor(ports: WorldPorts, disk: Disk, sabotage: Sabotage | null) {
    this.#ports = ports;
    this.#clock = ports.clock;
    this.#disk = disk;
    this.#sabotage = sabotage;
    for (const kept of disk.kept) {
      if (kept.state === 'sending') {
        kept.state = 'queued';
        kept.doubts += 1;
      }
    }
    for (const kept of disk.kept) if (kept.state === 'queued') this.#serve(placeOf(kept));
  }

  async submit(message: WorldMessage) {
    const seq = this.#disk.kept.length + 1;
    const enterAt = Math.max(this.#clock.now(), message.notBefore);
    const params = { ...message.params };
    const body = JSON.stringify(params);
    const kept: Kept = {
      ...{ seq, body, message, params, enterAt, state: 'queued', reason: null, attempts: 0 },
      ...{ failures: 0, doubts: 0, supersededBy: null, dueAt: message.notBefore },
      ...{ settledAt: null, messageId: null, waitsFor: null },
    };
    this.#supersede(kept);
    this.#disk.kept.push(kept);
    this.#serve(placeOf(kept));
    return { kind: 'accepted', seq } as const;
  }

  #supersede(newer: Kept): void {
    if (newer.message.method !== 'editMessageText') return;
    const older = this.#disk.kept.find(
      (kept) =>
        kept.state === 'queued' &&
        kept.message.method === newer.message.method &&
        placeOf(kept) === placeOf(newer) &&
        kept.params.message_id === newer.params.message_id,
    );
    if (older === undefined) return;
    newer.enterAt = older.enterAt;
    older.supersededBy = newer.seq;
    this.#rest(older, 'superseded', 'newer_text');
  }

  ended(seq: number): Promise<WorldEnd> {
    return new Promise((resolve) => this.#waiters.set(seq, resolve));
  }

  async cancel(seq: number) {
    const kept = this.#disk.kept.find((each) => each.seq === seq);
    if (kept?.state !== 'queued') return false;
    if (this.#sabotage !== 'sends the cancelled') this.#rest(kept, 'cancelled', 'asked');
    return true;
  }

  crash(): void {
    this.#waiters.clear();
  }

  waiting(): number {
    return this.#disk.kept.filter((k) => k.state === 'queued' || k.state === 'sending').length;
  }

  async all() {
    return this.#disk.kept.map((kept) => ({
      ...kept,
      waitsFor: kept.state === 'queued' ? 'its account or its chat is closed' : null,
    }));
  }

  async learned() {
    return [];
  }

  // One server per chat, as long as there is something for it.
  #serve(place: string): void {
    if (this.#busy.has(place)) return;
    this.#busy.add(place);
    void this.#work(place);
  }

  async #work(place: string): Promise<void> {
    for (;;) {
      const kept = this.#next(place);
      if (kept === null) break;
      const waitMs = this.#openAt(kept) - this.#clock.now();
      if (waitMs > 0) await sleep(this.#clock, Math.min(waitMs, LOOK_AGAIN_MS));
      else if (kept.message.expiresAt > 0 && this.#clock.now() >= kept.message.expiresAt) {
        this.#rest(kept, 'expired', 'expired');
      } else await this.#attempt(kept);
    }
    this.#busy.delete(place);
  }

  #next(place: string): Kept | null {
    const mine = this.#disk.kept.filter((k) => k.state === 'queued' && placeOf(k) === place);
    mine.sort((a, b) => a.enterAt - b.enterAt || a.seq - b.seq);
    const isRefused = mine[0] !== undefined && this.#disk.refused.has(mine[0].message.token);
    if (isRefused && this.#sabotage !== 'ignores revocation') return null;
    return (this.#sabotage === 'reorders' ? mine.at(-1) : mine[0]) ?? null;
  }

  #openAt(kept: Kept): number {
    const { token } = kept.message;
    const closed = this.#disk.closedUntil;
    const isDeaf = this.#sabotage === 'ignores freezes';
    const until = isDeaf
      ? 0
      : (closed.get(this.#sabotage === 'freezes all' ? '' : placeOf(kept)) ?? 0);
    if (this.#sabotage === 'bursts') return Math.max(kept.dueAt, until);
    const pace = (closed.get(`pace ${placeOf(kept)}`) ?? 0) + GROUP_MS * (itemsOf(kept) - 1);
    return Math.max(kept.dueAt, kept.enterAt, until, pace, this.#nextOf.get(token) ?? 0);
  }

  async #attempt(kept: Kept): Promise<void> {
    const { message, params } = kept;
    const now = this.#clock.now();
    const paceMs = paceMsOf(kept);
    this.#disk.closedUntil.set(`pace ${placeOf(kept)}`, now + paceMs + 1000);
    this.#nextOf.set(message.token, now + BROADCAST_MS * itemsOf(kept));
    kept.state = 'sending';
    kept.attempts += 1;
    if (this.#sabotage === 'lies' && kept.seq % 50 === 0) {
      this.#rest(kept, 'sent', null);
      return;
    }
    const reply = await this.#ports.transport.request({
      method: 'POST',
      path: `/bot${message.token}/${message.method}`,
      headers: {},
      body: JSON.stringify(params),
      deadlineMs: DEADLINE_MS,
    });
    this.#disk.closedUntil.set(`pace ${placeOf(kept)}`, this.#clock.now() + paceMs);
    this.#settle(kept, reply);
  }

  #settle(kept: Kept, reply: Reply): void {
    if (this.#sabotage === 'drops' && kept.seq % 50 === 0) {
      this.#disk.kept.splice(this.#disk.kept.indexOf(kept), 1);
      return;
    }
    if (reply.kind !== 'answered' || reply.status >= 500) {
      kept.failures += 1;
      if (reply.kind !== 'unsent' && this.#sabotage !== 'hides doubts') kept.doubts += 1;
      this.#again(kept, this.#clock.now() + BACKOFF_MS);
      return;
    }
    const { ok, result, description, parameters } = JSON.parse(reply.body);
    const first = Array.isArray(result) ? result[0] : result;
    const isFine = ok || /not modified/.test(description);
    const wait = /retry after (\d+)/.exec(description)?.[1];
    if (isFine && this.#sabotage === 'repeats' && kept.seq % 50 === 0 && kept.attempts < 2) {
      this.#again(kept, 0);
    } else if (isFine && this.#sabotage === 'buries' && kept.seq % 50 === 0) {
      this.#rest(kept, 'dead', 'buried_alive');
    } else if (!isFine && this.#sabotage === 'cancels unasked') {
      this.#rest(kept, 'cancelled', 'asked');
    } else if (isFine) {
      kept.messageId = first?.message_id === undefined ? null : String(first.message_id);
      this.#rest(kept, 'sent', null);
    } else if (wait !== undefined) {
      const until = this.#clock.now() + Number(wait) * 1000;
      this.#disk.closedUntil.set(this.#sabotage === 'freezes all' ? '' : placeOf(kept), until);
      this.#again(kept, this.#sabotage === 'ignores freezes' ? 0 : until);
    } else if (reply.status === 401) {
      this.#disk.refused.add(kept.message.token);
      this.#again(kept, 0);
    } else if (parameters?.migrate_to_chat_id !== undefined) {
      kept.params.chat_id = parameters.migrate_to_chat_id;
      this.#again(kept, 0);
    } else this.#rest(kept, 'dead', description);
  }

  #again(kept: Kept, dueAt: number): void {
    kept.state = 'queued';
    kept.dueAt = dueAt;
  }

  #rest(kept: Kept, state: Kept['state'], reason: string | null): void {
    kept.state = state;
    kept.reason = reason;
    kept.settledAt = this.#clock.now();
    const { messageId } = kept;
    this.#waiters.get(kept.seq)?.({ state, messageId });
    this.#waiters.delete(kept.seq);
  }
}

function itemsOf({ params }: Kept): number {
  return Array.isArray(params.media) ? params.media.length : 1;
}

// An album pays for its pictures before and after, so that no minute around it holds too many.
function paceMsOf(kept: Kept): number {
  return kept.message.chat.startsWith('-') ? GROUP_MS * itemsOf(kept) : PRIVATE_MS;
}

// The chat it was submitted for: a group that moved keeps its queue.
function placeOf({ message }: Kept): string {
  return `${message.token}/${message.chat}`;
}
