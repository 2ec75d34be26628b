// What stands between a channel and whoever reads it: time passes, connections are cut, and the platform asks to wait,
// for each account and method. Every call inside such a wait is recorded: it is what platforms punish.

import type { Clock } from '../../system/clock.ts';
import { pick, type Random } from '../../system/random.ts';
import type { LivingChannel } from './living.ts';

export interface ServerFaults {
  // Of a call.
  readonly cut: number;
  readonly wait: number;
}

export const NO_SERVER_FAULTS: ServerFaults = { cut: 0, wait: 0 };

type Method = 'resolve' | 'history' | 'changes' | 'by_id';

type Answer<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly reason: 'connection' | 'timeout'; readonly detail: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string };

const LATENCY_MS_MAX = 900;
const WAITS_MS = [2_000, 30_000, 600_000, 3_600_000];

export interface ModelProcess {
  readonly isAlive: boolean;
}

export interface WaitViolation {
  readonly account: string;
  readonly method: Method;
  readonly at: number;
  readonly until: number;
}

export class ModelServer {
  faults: ServerFaults;
  readonly violations: WaitViolation[] = [];
  calls = 0;
  resolves = 0;
  waits = 0;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #channels: ReadonlyMap<string, LivingChannel>;
  readonly #until = new Map<string, { until: number; toldTo: ModelProcess | null }>();

  constructor(
    parts: { clock: Clock; random: Random; channels: ReadonlyMap<string, LivingChannel> },
    faults: ServerFaults,
  ) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#channels = parts.channels;
    this.faults = faults;
  }

  // `process`: who is told of waits; one may die before it could write them down.
  reader(account: string, process: ModelProcess, abilities: { changes: boolean; byId: boolean }) {
    const ask = <Value>(method: Method, value: () => Value) =>
      this.#answer(account, method, process, value);
    const of = (channel: { readonly id: string }) => this.#channels.get(channel.id)!;
    type Named = { readonly id: string };
    const changes = (channel: Named, mark: string, limit: number) =>
      ask('changes', () => of(channel).changes(mark, limit));
    const byId = (channel: Named, ids: readonly string[]) =>
      ask('by_id', () => of(channel).byId(ids));
    return {
      resolve: (name: string) => {
        this.resolves += 1;
        return ask('resolve', () => ({ id: name, access: null, name, title: name }));
      },
      history: (channel: Named, after: string, limit: number) =>
        ask('history', () => of(channel).history(after, limit)),
      ...(abilities.changes ? { changes } : {}),
      ...(abilities.byId ? { byId } : {}),
      close: async () => {},
    };
  }

  // What it was told until now is written down.
  known(process: ModelProcess): void {
    for (const wait of this.#until.values()) if (wait.toldTo === process) wait.toldTo = null;
  }

  async #answer<Value>(
    account: string,
    method: Method,
    process: ModelProcess,
    value: () => Value,
  ): Promise<Answer<Value>> {
    this.calls += 1;
    await this.#pass();
    const lost = { kind: 'failed', reason: 'connection', detail: 'connection reset' } as const;
    if (this.#random.next() < this.faults.cut / 2) return lost;
    const answer = this.#judge(account, method, process, value);
    await this.#pass();
    // Its answer is lost on the way; a wait's is not, because nobody could keep what was not told.
    return answer.kind === 'read' && this.#random.next() < this.faults.cut / 2 ? lost : answer;
  }

  #judge<Value>(
    account: string,
    method: Method,
    process: ModelProcess,
    value: () => Value,
  ): Answer<Value> {
    const now = this.#clock.now();
    const key = `${account} ${method}`;
    const known = this.#until.get(key);
    // What only a dead process was told is nobody's knowledge.
    const isKnown = known?.toldTo?.isAlive !== false;
    if (known !== undefined && isKnown && now < known.until) {
      this.violations.push({ account, method, at: now, until: known.until });
      return { kind: 'wait', waitMs: known.until - now };
    }
    if (this.#random.next() >= this.faults.wait) return { kind: 'read', value: value() };
    const waitMs = pick(this.#random, WAITS_MS);
    this.waits += 1;
    this.#until.set(key, { until: now + waitMs, toldTo: process });
    return { kind: 'wait', waitMs };
  }

  #pass(): Promise<void> {
    const at = this.#clock.now() + this.#random.next() * LATENCY_MS_MAX;
    return new Promise((resolve) => {
      this.#clock.schedule(at, resolve);
    });
  }
}
