// Edits as callers make them, and editors that are hindered: their texts come in late, they stand still for a while, as
// does the gateway, and the disk and the platform are slow, as on a machine that is busy with other things.

import type { Watched } from '../../bench/live/fairness.ts';
import { compose, NO_SEND_OPTIONS, type SendOptions } from '../../src/accept/draft.ts';
import type { NewDelivery } from '../../src/domain/delivery.ts';
import { createTelegram } from '../../src/platforms/telegram/telegram.ts';
import { intBelow, seededRandom } from '../../src/system/random.ts';
import { ACCOUNT, GROUP, type LiveWorld, liveWorld } from './world.ts';

const NEVER = new AbortController().signal;
const { calls: CALLS } = createTelegram({ transport: null as never });

export function delivery(
  world: LiveWorld,
  method: string,
  params: Record<string, unknown>,
  sendOptions: Partial<SendOptions> = {},
): NewDelivery {
  const call = CALLS.describe(method, params);
  if (call.kind !== 'call') throw new Error(call.kind);
  const from = { account: ACCOUNT, platform: 'telegram', call, body: JSON.stringify(params) };
  const composed = compose(world.clock.now(), from, { ...NO_SEND_OPTIONS, ...sendOptions });
  if ('path' in composed) throw new Error(composed.expected);
  return composed;
}

export async function send(world: LiveWorld, params: Record<string, unknown>): Promise<string> {
  const { live, road } = world;
  const appended = await world.done(live.edits.submit(delivery(world, 'sendMessage', params)));
  if (appended.kind !== 'accepted') throw new Error(appended.kind);
  const { messageId } = await world.done(road.ended(appended.queued.seq, NEVER));
  return messageId!;
}

// The messages of so many sessions, each in a topic of its own unless there are none.
export function sendFirst(
  world: LiveWorld,
  count: number,
  { chat = GROUP, inTopics = count > 1 } = {},
): Promise<string[]> {
  const sent = Array.from({ length: count }, (_, thread) => {
    const topic = inTopics ? { message_thread_id: thread + 10 } : {};
    return send(world, { chat_id: chat, text: '…', ...topic });
  });
  return Promise.all(sent);
}

const EVERY_MS = 250;
const EVERY_MS_MORE = 40;
const EDITS_MS = 30_000;
const UNTIL_SHOWN_MS = 200_000;
// A client waits for the answers to so many edits before it hands over the last text.
const UNANSWERED = 8;

export interface Hindered {
  readonly sessions: number;
  readonly seed: number;
  // After their first messages.
  readonly restMs?: number;
  // On the way to the gateway.
  readonly lateMsMax: number;
  readonly commitMsMax: number;
  readonly jitterBackMs: number;
  // Each of those that stand still does so as often, for up to so long.
  readonly stillTimes: number;
  readonly stillMsMax: number;
  readonly stands: 'each' | 'all' | 'gateway';
}

export interface Edited extends Watched {
  readonly handed: { at: number; text: string }[];
  readonly shown: { at: number; text: string }[];
  readonly messageId: string;
  readonly last: string;
  readyAt: number;
}

// Sessions that edit their messages for half a minute, and then show their last texts.
export async function editHindered(options: Hindered): Promise<{
  readonly world: LiveWorld;
  readonly edited: readonly Edited[];
}> {
  const { sessions, seed, commitMsMax, jitterBackMs } = options;
  const network = { latencyMs: 40, jitterMs: 40, jitterBackMs };
  const world = await liveWorld({ seed, network, commitMsMax });
  const ids = await world.done(sendFirst(world, sessions));
  await world.run(options.restMs ?? 0);
  const editors = ids.map((id, n) => new Editor(world, options, id, n));
  hinder(world, editors, options);
  await world.run(EDITS_MS + UNTIL_SHOWN_MS);
  for (const { method, acceptedAt, messageIds, text } of world.calls) {
    if (method !== 'editMessageText' || acceptedAt === null) continue;
    const shown = editors.find(({ messageId }) => messageIds.includes(Number(messageId)))?.shown;
    shown?.push({ at: acceptedAt, text });
  }
  return { world, edited: editors };
}

function hinder(world: LiveWorld, editors: readonly Editor[], options: Hindered): void {
  const { clock } = world;
  const random = seededRandom(options.seed);
  const standing = (stand: (until: number) => void) => {
    for (let i = 0; i < options.stillTimes; i++) {
      const at = clock.now() + intBelow(random, EDITS_MS);
      const forMs = intBelow(random, options.stillMsMax);
      clock.schedule(at, () => stand(at + forMs));
    }
  };
  switch (options.stands) {
    case 'each':
      for (const editor of editors) standing((until) => editor.standStill(until));
      return;
    case 'all':
      standing((until) => {
        for (const editor of editors) editor.standStill(until);
      });
      return;
    case 'gateway':
      standing((until) => world.standStill(until));
  }
}

class Editor implements Edited {
  readonly handed: { at: number; text: string }[] = [];
  readonly shown: { at: number; text: string }[] = [];
  readonly messageId: string;
  readonly last: string;
  readyAt = 0;
  readonly #world: LiveWorld;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #lateMsMax: number;
  readonly #endAt: number;
  readonly #answers: Promise<void>[] = [];
  #stillUntil = 0;
  // Nothing overtakes what it handed over before.
  #inAt = 0;

  constructor(world: LiveWorld, { seed, lateMsMax }: Hindered, messageId: string, n: number) {
    this.#world = world;
    this.#random = seededRandom(seed * 100 + n);
    this.#lateMsMax = lateMsMax;
    this.#endAt = world.clock.now() + EDITS_MS;
    this.messageId = messageId;
    this.last = `the last word of ${n}`;
    this.#edit(n, 0);
  }

  standStill(until: number): void {
    this.#stillUntil = Math.max(this.#stillUntil, until);
  }

  #edit(n: number, i: number): void {
    const { clock } = this.#world;
    const now = clock.now();
    if (this.#stillUntil > now) {
      clock.schedule(this.#stillUntil, () => this.#edit(n, i));
    } else if (now < this.#endAt) {
      this.#answers.push(this.#hand(`${n}: ${i}`));
      const nextAt = now + EVERY_MS + intBelow(this.#random, EVERY_MS_MORE);
      clock.schedule(nextAt, () => this.#edit(n, i + 1));
    } else {
      this.readyAt = now;
      void Promise.all(this.#answers.slice(-UNANSWERED)).then(() => this.#hand(this.last));
    }
  }

  // Resolves when it is answered.
  #hand(text: string): Promise<void> {
    const { clock } = this.#world;
    const lateMs = intBelow(this.#random, this.#lateMsMax + 1);
    this.handed.push({ at: clock.now(), text });
    this.#inAt = Math.max(this.#inAt, clock.now() + lateMs);
    return new Promise((answered) => {
      clock.schedule(this.#inAt, () =>
        this.#world.whenRead(() => void this.#submit(text).then(answered)),
      );
    });
  }

  async #submit(text: string): Promise<void> {
    const { live, road } = this.#world;
    const params = { chat_id: GROUP, message_id: Number(this.messageId), text };
    const appended = await live.edits.submit(delivery(this.#world, 'editMessageText', params));
    if (appended.kind !== 'accepted') throw new Error(appended.kind);
    const { seq } = appended.queued;
    if (!live.edits.road.isPreview(seq)) await road.ended(seq, NEVER);
  }
}
