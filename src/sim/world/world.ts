// A whole world from one seed: bots talk, the network jitters, the platform falters, the engine crashes and
// is opened again; then the faults stop, everything drains, and the checkers say what was broken.
// The one hard thing: everything, chance included, must come out the same for the same seed.

import type { AccountId } from '../../domain/ids.ts';
import type { Transport } from '../../system/http/transport.ts';
import { intBelow, pick, type Random, seededRandom } from '../../system/random.ts';
import { type VirtualClock, virtualClock } from '../../system/virtual-clock.ts';
import { type FaultRates, type Faults, randomFaults } from '../faults.ts';
import { createTelegramModel, type TelegramModel } from '../telegram/model.ts';
import type { SimTelegramOptions } from '../telegram/options.ts';
import { type Network, simTransport } from '../transport.ts';
import type { EngineFactory, WorldDisk, WorldEngine, WorldMessage } from './engine.ts';
import { connect, type Evidence, placeOf, type Story, type Try, tryOf } from './evidence.ts';
import { type Incarnation, incarnate } from './incarnation.ts';
import { type Population, populate, type WorldChat } from './population.ts';
import { report, type WorldReport } from './report.ts';
import { beginStory, drainEngine, passTimeUntil, submitStory } from './telling.ts';
import { saturate, startTraffic, type WorldSender } from './traffic.ts';

export interface WorldOptions {
  readonly seed: number;
  // Of talk; then it drains.
  readonly minutes: number;
  readonly accounts: number;
  readonly chats: number;
  readonly crashes: number;
  // 1: the platform's limits are as believed; 0.5: half of it.
  readonly truth?: number;
  readonly edits?: SimTelegramOptions['edits'];
  readonly faults?: FaultRates;
  readonly network?: Network;
  // `saturated`: every chat always has more to say than it may.
  readonly traffic?: 'mixed' | 'saturated';
  // When to ask what was learned; left out: when all is over.
  readonly learnedAtMinute?: number;
  readonly makeEngine: EngineFactory;
  // Told now and then how many virtual minutes have passed.
  readonly onProgress?: (minute: number) => void;
}

export const WORLD_FAULTS: FaultRates = {
  reset_before: 0.004,
  answer_lost: 0.004,
  hang: 0.002,
  bad_gateway: 0.004,
  internal_error: 0.003,
  restart: 0.0001,
};

const WORLD_BEGINS = Date.UTC(2026, 0, 1);
const NETWORK: Network = { latencyMs: 40, jitterMs: 25 };
const REPLY_WINDOW_MS = 3_600_000;
const DOWN_MS_MAX = 15_000;
// So many chats in a hundred are frozen once, for up to so long.
const FROZEN_PERCENT = 3;
const FREEZE_S_MAX = 900;
const PROGRESS_MS = 60_000;

export async function runWorld(options: WorldOptions): Promise<WorldReport> {
  const world = new World(options);
  await world.open();
  await world.talk();
  await world.drain();
  const { evidence, learned } = await world.testify();
  return report(evidence, learned);
}

class World implements WorldSender {
  readonly #options: WorldOptions;
  readonly #clock: VirtualClock;
  readonly #chance: Random;
  readonly #model: TelegramModel;
  readonly #wire: Transport;
  readonly #population: Population;
  readonly #disk: WorldDisk = { content: null };
  readonly #quietAt: number;
  #engine: WorldEngine | null = null;
  #life: Incarnation | null = null;
  #lives = 0;
  #lastNumber = 0;
  readonly #stories: Story[] = [];
  readonly #tries: Try[] = [];
  readonly #crashes: number[] = [];
  readonly #wrote = new Map<string, number[]>();
  readonly #frozen = new Set<string>();
  readonly #revoked = new Set<string>();
  #learned: ReturnType<WorldEngine['learned']> | null = null;

  constructor(options: WorldOptions) {
    const { seed, minutes, truth = 1, edits = 'shared' } = options;
    this.#options = options;
    this.#clock = virtualClock(WORLD_BEGINS, { promisesOnly: true });
    this.#quietAt = WORLD_BEGINS + minutes * 60_000;
    this.#chance = seededRandom(seed);
    this.#model = createTelegramModel({
      options: { truth, edits, replyWindowMs: REPLY_WINDOW_MS },
    });
    this.#wire = simTransport({
      model: this.#model,
      clock: this.#clock,
      random: seededRandom(seed + 0x10000),
      network: options.network ?? NETWORK,
      faults: this.#faults(seededRandom(seed + 0x20000)),
      onExchange: (exchange) => this.#tries.push(tryOf(exchange)),
    });
    this.#population = populate(this.#chance, options, this.#model);
  }

  // Faults stop when the talk does, so that everything can come to rest.
  #faults(random: Random): Faults {
    const plan = randomFaults(random, this.#options.faults ?? WORLD_FAULTS);
    return { next: (target, now) => (now < this.#quietAt ? plan.next(target, now) : null) };
  }

  async open(): Promise<void> {
    const life = incarnate(this.#clock, this.#wire);
    this.#life = life;
    const random = seededRandom(this.#options.seed + 0x30000 + this.#lives++);
    const accounts = this.#population.accounts;
    const { clock, transport } = life;
    const ports = { clock, transport, random, disk: this.#disk, accounts };
    this.#engine = await passTimeUntil(this.#options.makeEngine(ports), this.#clock);
  }

  async talk(): Promise<void> {
    const { crashes } = this.#options;
    const talkMs = this.#quietAt - WORLD_BEGINS;
    const crashTimes = Array.from({ length: crashes }, () => this.#chance.next() * talkMs);
    this.#plan(talkMs);
    this.#tellProgress();
    const ports = { random: this.#chance, clock: this.#clock, sender: this, until: this.#quietAt };
    const { traffic = 'mixed' } = this.#options;
    if (traffic === 'mixed') startTraffic(ports, this.#population);
    else saturate(ports, this.#population);
    for (const after of crashTimes.sort((a, b) => a - b)) {
      await this.#clock.run(Math.max(this.#clock.now(), WORLD_BEGINS + after));
      await this.#crash();
    }
    await this.#clock.run(Math.max(this.#clock.now(), this.#quietAt));
  }

  #tellProgress(): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    const at = this.#clock.now() + PROGRESS_MS;
    this.#clock.schedule(at, () => {
      onProgress((at - WORLD_BEGINS) / 60_000);
      this.#tellProgress();
    });
  }

  // Troubles that have nothing to do with what the engine does, and a look at what it knows.
  #plan(talkMs: number): void {
    const at = (share: number) => WORLD_BEGINS + talkMs * share;
    const { learnedAtMinute } = this.#options;
    if (learnedAtMinute !== undefined) {
      this.#clock.schedule(WORLD_BEGINS + learnedAtMinute * 60_000, () => {
        this.#learned = this.#engine?.learned() ?? null;
      });
    }
    for (const { token, isDoomed } of this.#population.accounts) {
      if (!isDoomed) continue;
      this.#clock.schedule(at(0.2), () => {
        this.#revoked.add(token);
        this.#model.revoke(token);
      });
    }
    const { accounts, chats } = this.#population;
    const victims = Math.ceil((chats.length * FROZEN_PERCENT) / 100);
    // One of a bot at most: two chats that are closed at once look like a limit of the bot itself.
    for (const account of accounts.slice(0, victims)) {
      const chat = pick(this.#chance, account.chats);
      const seconds = 60 + intBelow(this.#chance, FREEZE_S_MAX - 60);
      this.#clock.schedule(at(this.#chance.next() * 0.8), () => {
        if (chat === undefined || this.#revoked.has(account.token)) return;
        this.#frozen.add(placeOf({ token: account.token, chat: chat.id }));
        this.#model.freeze(account.token, chat.id, seconds, this.#clock.now());
      });
    }
  }

  async #crash(): Promise<void> {
    this.#engine?.crash();
    this.#life?.end();
    this.#engine = null;
    this.#crashes.push(this.#clock.now());
    await this.#clock.run(this.#clock.now() + this.#chance.next() * DOWN_MS_MAX);
    await this.open();
  }

  incoming({ account, id }: WorldChat): number | null {
    const { token } = account;
    if (this.#revoked.has(token)) return null;
    const now = this.#clock.now();
    const place = placeOf({ token, chat: id });
    const times = this.#wrote.get(place);
    if (times === undefined) this.#wrote.set(place, [now]);
    else times.push(now);
    return this.#model.inject(token, id, 'hello', now).messageId;
  }

  nextNumber(): number {
    return ++this.#lastNumber;
  }

  async say(message: WorldMessage): ReturnType<WorldSender['say']> {
    const engine = this.#engine;
    if (engine === null) return null;
    const story = beginStory(message, this.#clock.now());
    this.#stories.push(story);
    return submitStory(engine, story, this.#clock, () => this.#engine === engine);
  }

  async drain(): Promise<void> {
    await drainEngine(this.#engine!, this.#clock);
  }

  async testify() {
    const finishedAt = this.#clock.now();
    const records = await passTimeUntil(this.#engine!.all(), this.#clock);
    const learned = await passTimeUntil(this.#learned ?? this.#engine!.learned(), this.#clock);
    const { seed, truth = 1, edits = 'shared', traffic } = this.#options;
    const { chats } = this.#population;
    const evidence: Evidence = {
      seed,
      truth,
      edits,
      isSaturated: traffic === 'saturated',
      startedAt: WORLD_BEGINS,
      quietAt: this.#quietAt,
      finishedAt,
      replyWindowMs: REPLY_WINDOW_MS,
      stories: this.#stories,
      bySeq: connect(this.#stories, records, this.#tries),
      tries: this.#tries,
      crashes: this.#crashes,
      ...this.#fleetEvidence(),
      wrote: this.#wrote,
      revoked: this.#revoked,
      frozen: this.#frozen,
      chats: new Map(chats.map((c) => [placeOf({ token: c.account.token, chat: c.id }), c])),
    };
    return { evidence, learned };
  }

  #fleetEvidence(): Pick<Evidence, 'troubles' | 'strangers' | 'clockMsMax'> {
    const fleet = this.#engine?.fleet;
    if (fleet === undefined) return {};
    const tokens = new Map(this.#population.accounts.map(({ id, token }) => [id, token]));
    const tokensOf = (accounts: ReadonlySet<AccountId>) =>
      new Set([...accounts].map((id) => tokens.get(id)!));
    const troubles = fleet.troubles.map(({ accounts, from, until }) => ({
      ...{ tokens: tokensOf(accounts), from, until },
    }));
    return { troubles, strangers: fleet.strangers, clockMsMax: fleet.clockMsMax };
  }
}
