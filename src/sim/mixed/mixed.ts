// A world of several platforms on one engine and one virtual clock: each has its own simulator, network, faults and
// chance, so that whatever one of them goes through is its own. The engine crashes and is opened again; then the faults
// stop, everything drains, and the same checkers as in a world of one platform say what was broken.

import type { AccountId } from '../../domain/ids.ts';
import { seededRandom } from '../../system/random.ts';
import { type VirtualClock, virtualClock } from '../../system/virtual-clock.ts';
import { type FaultRates, type Faults, randomFaults, type WireFault } from '../faults.ts';
import { type Exchange, type Network, simTransport } from '../transport.ts';
import type { EngineFactory, WorldDisk, WorldEngine, WorldMessage } from '../world/engine.ts';
import { connect, type Evidence, placeOf, type Story, type Try } from '../world/evidence.ts';
import { type Incarnation, incarnate } from '../world/incarnation.ts';
import { report, type WorldReport } from '../world/report.ts';
import { beginStory, drainEngine, passTimeUntil, submitStory } from '../world/telling.ts';
import { numberOf, type Said } from '../world/traffic.ts';
import { WORLD_FAULTS } from '../world/world.ts';
import { MIXED_CHECKS } from './checks.ts';
import { MIXED_PLATFORMS, type MixedPlatform, type OpenedModel } from './platforms.ts';
import { liveIn, type MixedChat } from './traffic.ts';

// `outage`: no call is answered, then all are sent away. `penalty`: every chat is closed. `ban`: no token is worth
// anything any more, for good.
export const TROUBLES = ['outage', 'penalty', 'ban'] as const;
export type TroubleKind = (typeof TROUBLES)[number];

export interface MixedTrouble {
  readonly platform: string;
  readonly kind: TroubleKind;
}

export interface MixedOptions {
  readonly seed: number;
  readonly minutes: number;
  // Of each platform; chats of each account.
  readonly accounts: number;
  readonly chats: number;
  readonly crashes: number;
  // Between two things that happen in a chat; left out: a minute.
  readonly pauseMsMax?: number;
  readonly platforms?: readonly string[];
  // On every platform; left out: as in a world of one.
  readonly faults?: FaultRates;
  readonly trouble?: MixedTrouble | null;
  readonly network?: Network;
  // 0: nothing of one platform is timed by what another puts on disk.
  readonly commitMsMax?: number;
  readonly makeEngine: EngineFactory;
  // While it talks: which virtual minute it has come to.
  readonly onProgress?: (minute: number) => void;
}

export interface MixedReport extends WorldReport {
  // Of each platform, what became of every message and when, in the order of their numbers.
  readonly fates: ReadonlyMap<string, readonly string[]>;
}

interface Part {
  readonly platform: MixedPlatform;
  readonly opened: OpenedModel;
  readonly chats: readonly MixedChat[];
  readonly accounts: readonly { readonly id: AccountId; readonly token: string }[];
  readonly wire: ReturnType<typeof simTransport>;
}

const BEGINS = Date.UTC(2026, 0, 1);
const NETWORK: Network = { latencyMs: 40, jitterMs: 25 };
const PAUSE_MS_MAX = 60_000;
const PROGRESS_MS = 10_000;
const DOWN_MS_MAX = 15_000;
const POISON_EVERY = 7;
const NUMBERS_PER_CHAT = 10_000;
const SEEDS_PER_PLATFORM = 0x100000;
// Of the talk: when a trouble comes. An outage has two halves, of this length each.
const TROUBLE_SHARE = 0.3;
const OUTAGE_HALF_MS = 60_000;
const PENALTY_S = 180;

export async function runMixedWorld(options: MixedOptions): Promise<MixedReport> {
  const world = new MixedWorld(options);
  await world.open();
  await world.talk();
  await world.drain();
  return world.testify();
}

class MixedWorld {
  readonly #options: MixedOptions;
  readonly #clock: VirtualClock = virtualClock(BEGINS, { promisesOnly: true });
  readonly #chance;
  readonly #quietAt: number;
  readonly #troubleAt: number;
  readonly #parts: readonly Part[];
  readonly #disk: WorldDisk = { content: null };
  readonly #byNumber = new Map<number, Story>();
  readonly #stories: Story[] = [];
  readonly #tries: Try[] = [];
  readonly #crashes: number[] = [];
  readonly #revoked = new Set<string>();
  readonly #frozen = new Set<string>();
  #engine: WorldEngine | null = null;
  #lives: readonly Incarnation[] = [];
  #opened = 0;

  constructor(options: MixedOptions) {
    const { minutes, platforms = MIXED_PLATFORMS.map(({ name }) => name) } = options;
    this.#options = options;
    this.#chance = seededRandom(options.seed);
    this.#quietAt = BEGINS + minutes * 60_000;
    this.#troubleAt = BEGINS + minutes * 60_000 * TROUBLE_SHARE;
    this.#parts = MIXED_PLATFORMS.flatMap((platform, i) =>
      platforms.includes(platform.name) ? [this.#part(platform, i)] : [],
    );
  }

  // The chance of a platform depends on its own place in the list alone.
  #part(platform: MixedPlatform, index: number): Part {
    const { seed, accounts: count, chats: perAccount, network = NETWORK } = this.#options;
    const randomOf = (n: number) => seededRandom(seed + (index + 1) * SEEDS_PER_PLATFORM + n);
    const opened = platform.open();
    const accounts = Array.from({ length: count }, (_, n) => platform.account(n));
    const chats = Array.from({ length: count * perAccount }, (_, n): MixedChat => {
      const id = platform.chat(n);
      const isPoison = n % POISON_EVERY === POISON_EVERY - 1;
      if (isPoison) opened.poison(id);
      let number = (index * count * perAccount + n + 1) * NUMBERS_PER_CHAT;
      const nextNumber = () => ++number;
      const account = accounts[n % count]!;
      return { platform, account, id, isPoison, random: randomOf(1000 + n), nextNumber };
    });
    const wire = simTransport({
      ...{ model: opened.model, clock: this.#clock, network },
      random: randomOf(1),
      faults: this.#faults(
        platform,
        randomFaults(randomOf(2), this.#options.faults ?? WORLD_FAULTS),
      ),
      onExchange: (exchange) => this.#tries.push(this.#tryOf(platform, exchange)),
    });
    return { platform, opened, accounts, chats, wire };
  }

  // Faults stop when the talk does; in the first half of an outage nothing is answered.
  #faults({ name }: MixedPlatform, usual: Faults): Faults {
    const { trouble = null } = this.#options;
    const isOut = trouble?.platform === name && trouble.kind === 'outage';
    const silence: WireFault = { kind: 'hang', delivered: false };
    return {
      next: (target, now) => {
        const since = now - this.#troubleAt;
        if (isOut && since >= 0 && since < OUTAGE_HALF_MS) return silence;
        return now < this.#quietAt ? usual.next(target, now) : null;
      },
    };
  }

  // As the checkers read it: by what was meant, whatever the platform calls it.
  #tryOf(platform: MixedPlatform, exchange: Exchange): Try {
    const { token, chat, params, leftAt, endedAt, reply, fault, call } = exchange;
    const number = numberOf(JSON.stringify(params));
    const story = this.#byNumber.get(number ?? -1);
    const told = call === null ? null : (platform.statusOf?.(call) ?? call.status);
    const said = reply.kind !== 'answered' ? reply.kind : reply.status >= 500 ? reply.status : told;
    return {
      ...{ token, chat, number, leftAt, endedAt, fault: fault?.kind ?? null },
      said: said ?? (reply.kind === 'answered' ? reply.status : reply.kind),
      call: call === null ? null : { ...call, cost: 1, ...meant(call, story) },
    };
  }

  async open(): Promise<void> {
    const wires = new Map<string, ReturnType<typeof simTransport>>();
    this.#lives = this.#parts.map(({ platform, wire }) => {
      const life = incarnate(this.#clock, wire);
      wires.set(platform.name, life.transport);
      return life;
    });
    const { clock, transport } = this.#lives[0]!;
    const { seed, commitMsMax, makeEngine } = this.#options;
    const random = seededRandom(seed + 0x30000 + this.#opened++);
    const accounts = this.#parts.flatMap((part) => part.accounts);
    const ports = { clock, transport, wires, random, disk: this.#disk, accounts };
    const timed = commitMsMax === undefined ? ports : { ...ports, commitMsMax };
    this.#engine = await passTimeUntil(makeEngine(timed), this.#clock);
  }

  async talk(): Promise<void> {
    const talkMs = this.#quietAt - BEGINS;
    this.#tellProgress();
    const { crashes } = this.#options;
    const crashTimes = Array.from({ length: crashes }, () => this.#chance.next() * talkMs);
    this.#clock.schedule(this.#troubleAt, () => this.#bringTrouble());
    const say = (message: WorldMessage) => this.#say(message);
    const { pauseMsMax = PAUSE_MS_MAX } = this.#options;
    const ports = { clock: this.#clock, until: this.#quietAt, pauseMsMax, say };
    for (const { chats } of this.#parts) for (const chat of chats) void liveIn(ports, chat);
    for (const after of crashTimes.sort((a, b) => a - b)) {
      await this.#clock.run(Math.max(this.#clock.now(), BEGINS + after));
      await this.#crash();
    }
    await this.#clock.run(Math.max(this.#clock.now(), this.#quietAt));
  }

  #tellProgress(): void {
    const { onProgress } = this.#options;
    const at = this.#clock.now() + PROGRESS_MS;
    if (onProgress === undefined || at > this.#quietAt) return;
    this.#clock.schedule(at, () => {
      onProgress((at - BEGINS) / 60_000);
      this.#tellProgress();
    });
  }

  #bringTrouble(): void {
    const { trouble = null } = this.#options;
    const part = this.#parts.find(({ platform }) => platform.name === trouble?.platform);
    if (trouble === null || part === undefined) return;
    const { model } = part.opened;
    const now = this.#clock.now();
    switch (trouble.kind) {
      case 'outage':
        this.#clock.schedule(now + OUTAGE_HALF_MS, () => model.restart(now + 2 * OUTAGE_HALF_MS));
        return;
      case 'penalty':
        for (const { account, id } of part.chats) {
          this.#frozen.add(placeOf({ token: account.token, chat: id }));
          model.freeze(account.token, id, PENALTY_S, now);
        }
        return;
      case 'ban':
        for (const { token } of part.accounts) {
          this.#revoked.add(token);
          model.revoke(token);
        }
    }
  }

  async #crash(): Promise<void> {
    this.#engine?.crash();
    for (const life of this.#lives) life.end();
    this.#engine = null;
    this.#crashes.push(this.#clock.now());
    await this.#clock.run(this.#clock.now() + this.#chance.next() * DOWN_MS_MAX);
    await this.open();
  }

  async #say(message: WorldMessage): Promise<Said | null> {
    const engine = this.#engine;
    if (engine === null) return null;
    const story = beginStory(message, this.#clock.now());
    this.#stories.push(story);
    this.#byNumber.set(story.number, story);
    return submitStory(engine, story, this.#clock, () => this.#engine === engine);
  }

  async drain(): Promise<void> {
    await drainEngine(this.#engine!, this.#clock);
  }

  async testify(): Promise<MixedReport> {
    const finishedAt = this.#clock.now();
    const records = await passTimeUntil(this.#engine!.all(), this.#clock);
    const learned = await passTimeUntil(this.#engine!.learned(), this.#clock);
    const evidence: Evidence = {
      ...{ seed: this.#options.seed, truth: 1, edits: 'shared', isSaturated: false },
      ...{ startedAt: BEGINS, quietAt: this.#quietAt, finishedAt, replyWindowMs: 0 },
      stories: this.#stories,
      bySeq: connect(this.#stories, records, this.#tries),
      tries: this.#tries,
      crashes: this.#crashes,
      wrote: new Map(),
      revoked: this.#revoked,
      frozen: this.#frozen,
      chats: this.#chatsInPeace(),
    };
    return { ...report(evidence, learned, MIXED_CHECKS), fates: fatesOf(this.#stories) };
  }

  // Those whose platform has no trouble: they have nothing to wait for but their own limits.
  #chatsInPeace(): Evidence['chats'] {
    const { trouble } = this.#options;
    const parts = this.#parts.filter(({ platform }) => platform.name !== trouble?.platform);
    const chats = parts.flatMap((part) => part.chats);
    return new Map(
      chats.map(({ account, id, platform, isPoison }) => [
        placeOf({ token: account.token, chat: id }),
        {
          ...{ account: { ...account, chats: [], isDoomed: false }, id, isPoison },
          ...{ isPrivate: !platform.isSlow, threads: [], pauseMs: 0 },
        },
      ]),
    );
  }
}

// What a call was for; a yes has one status. A repeat that the platform recognised made no message, so it is no copy.
function meant(call: NonNullable<Exchange['call']>, story: Story | undefined) {
  if (story === undefined) return { method: 'getMe' };
  const { changes, live } = story.message;
  const method = changes !== true ? 'send' : live ? 'edit' : 'delete';
  if (call.acceptedAt === null) return { method };
  const isRecognised = method === 'send' && call.messageIds.length === 0;
  return isRecognised ? { method, acceptedAt: null, status: 208 } : { method, status: 200 };
}

function fatesOf(stories: readonly Story[]): Map<string, string[]> {
  const fates = new Map<string, string[]>();
  for (const story of [...stories].sort((a, b) => a.number - b.number)) {
    const platform = story.message.account.split(':')[0]!;
    const times = story.tries.map(({ call }) => call?.acceptedAt ?? call?.arrivedAt ?? null);
    const { state = 'none', settledAt = null } = story.record ?? {};
    const fate = `#${story.number} ${state} at ${settledAt}, tried at ${times.join(', ')}`;
    fates.set(platform, [...(fates.get(platform) ?? []), fate]);
  }
  return fates;
}
