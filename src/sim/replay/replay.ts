// A recorded day in the simulated world: the same messages at the same times, through an engine with the settings that
// one wants to know about, before a platform with its limits. Time is virtual, so a day takes seconds to minutes. What
// the messages said was never recorded; they are as long as they were, and edits change messages made beforehand.

import type { Family } from '../../domain/call.ts';
import type { RecordedDelivery } from '../../domain/recording.ts';
import { seededRandom } from '../../system/random.ts';
import { type VirtualClock, virtualClock } from '../../system/virtual-clock.ts';
import { NO_FAULTS } from '../faults.ts';
import { createTelegramModel, type TelegramModel } from '../telegram/model.ts';
import { type Network, simTransport } from '../transport.ts';
import type { EngineFactory, WorldEngine, WorldMessage } from '../world/engine.ts';
import { Cast } from './cast.ts';
import { type DayEntry, type DayFigures, figuresOf } from './figures.ts';
import type { Recording } from './recording.ts';

export interface ReplayOptions {
  readonly recording: Recording;
  readonly makeEngine: EngineFactory;
  readonly seed: number;
  // The platform's true limits, as a share of those it is known for.
  readonly truth?: number;
  // Told now and then which share of the time has passed.
  readonly onProgress?: (share: number) => void;
}

const STEP_MS = 60_000;
// What is still waiting then is not sent.
const DRAIN_MS_MAX = 6 * 3_600_000;
// Where nothing was answered, nothing is known of the line.
const ROUND_TRIP_MS_DEFAULT = 80;
const REPLAYED_PLATFORM = 'telegram';

const FAMILIES: readonly Family[] = ['send', 'edit', 'delete', 'reaction'];

// Of the recording, what can be replayed: calls of the replayed platform, which have a limit and were not taken back by
// hand.
export function replayable({ deliveries }: Recording): RecordedDelivery[] {
  return deliveries.filter(
    ({ platform, family, state }) =>
      platform === REPLAYED_PLATFORM && FAMILIES.includes(family) && state !== 'cancelled',
  );
}

export async function replay(options: ReplayOptions): Promise<DayFigures> {
  const day = new ReplayedDay(options);
  await day.play();
  return day.figures();
}

class ReplayedDay {
  readonly #options: ReplayOptions;
  readonly #deliveries: readonly RecordedDelivery[];
  readonly #clock: VirtualClock;
  readonly #model: TelegramModel;
  readonly #cast: Cast;
  readonly #waitMs = new Map<RecordedDelivery, number | null>();
  #engine: WorldEngine | null = null;
  #limited = 0;
  #open = 0;

  constructor(options: ReplayOptions) {
    const { recording, truth = 1 } = options;
    this.#options = options;
    this.#deliveries = replayable(recording);
    const { since } = recording;
    this.#model = createTelegramModel({
      options: { truth },
      onCall: ({ retryAfterS, arrivedAt }) => {
        if (retryAfterS !== null && arrivedAt >= since) this.#limited += 1;
      },
    });
    this.#cast = new Cast(this.#deliveries, this.#model, since);
    this.#clock = virtualClock(since);
  }

  async play(): Promise<void> {
    await this.#start();
    const { recording, onProgress } = this.#options;
    const { since, until } = recording;
    for (const delivery of this.#deliveries) {
      this.#clock.schedule(since + delivery.at, () => void this.#say(delivery));
    }
    for (let now = since; now < until; now += STEP_MS) {
      await this.#clock.run(Math.min(until, now + STEP_MS));
      onProgress?.((now - since) / (until - since));
    }
    const drainedBy = until + DRAIN_MS_MAX;
    while (this.#open > 0 && this.#clock.now() < drainedBy) {
      await this.#clock.run(this.#clock.now() + STEP_MS);
    }
  }

  figures(): DayFigures {
    const entries = this.#deliveries.map((delivery): DayEntry => {
      const { priority, final } = delivery;
      // What never ended waits still.
      return { priority, final, waitMs: this.#waitMs.get(delivery) ?? null };
    });
    return figuresOf(entries, this.#limited);
  }

  async #start(): Promise<void> {
    const { makeEngine, seed } = this.#options;
    const clock = this.#clock;
    const transport = simTransport({
      ...{ model: this.#model, clock, network: networkOf(this.#deliveries), faults: NO_FAULTS },
      random: seededRandom(seed),
    });
    const random = seededRandom(seed + 1);
    const { accounts } = this.#cast;
    const opening = makeEngine({ clock, random, transport, disk: { content: null }, accounts });
    let isOpen = false;
    const opened = opening.finally(() => {
      isOpen = true;
    });
    // Its start may need time to pass, but only where something waits for it: loading code takes none.
    while (!isOpen) await clock.run(clock.now() + (clock.pending() > 0 ? 1 : 0));
    this.#engine = await opened;
  }

  async #say(delivery: RecordedDelivery): Promise<void> {
    const engine = this.#engine!;
    const now = this.#clock.now();
    const message = this.#cast.messageOf(delivery, this.#options.recording.since);
    if (message.isReply) this.#model.userWrote(message.token, message.chat, now);
    this.#open += 1;
    const waitMs = await this.#outAfter(engine, message, Math.max(now, message.notBefore));
    this.#open -= 1;
    this.#waitMs.set(delivery, waitMs);
  }

  // null: it was refused, or ended unsent.
  async #outAfter(
    engine: WorldEngine,
    message: WorldMessage,
    from: number,
  ): Promise<number | null> {
    const submitted = await engine.submit(message);
    if (submitted.kind === 'refused') return null;
    const { state } = await engine.ended(submitted.seq);
    return state === 'sent' ? this.#clock.now() - from : null;
  }
}

// Half of what an answer usually took, each way; and half of what a slow one took more.
export function networkOf(deliveries: readonly RecordedDelivery[]): Network {
  const took = deliveries
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ outcome, tookMs }) => (outcome === 'sent' && tookMs !== null ? [tookMs] : []))
    .sort((a, b) => a - b);
  const quantile = (share: number) => took[Math.floor(share * (took.length - 1))];
  const usual = quantile(0.5) ?? ROUND_TRIP_MS_DEFAULT;
  const slow = quantile(0.9) ?? usual;
  return { latencyMs: usual / 2, jitterMs: (slow - usual) / 2 };
}
