// What the simulated Discord believes about its limits. The documents publish the global one and that of invalid
// requests; the others are what its headers commonly say. `truth` scales all rates at once.

import { type SimRate, scaled } from '../window.ts';

export type SimBucketName =
  | 'create'
  | 'edit'
  | 'delete'
  | 'bulk_delete'
  | 'reaction'
  | 'typing'
  | 'thread'
  | 'webhook'
  | 'read'
  | 'read_one'
  | 'other';

export interface SimDiscordOptions {
  readonly truth: number;
  // Of one bot, interactions apart.
  readonly global: SimRate;
  // Per channel, or per webhook.
  readonly buckets: Readonly<Record<SimBucketName, SimRate>>;
  // Counts that differ from those; left out: none does.
  readonly createCount?: number;
  readonly editCount?: number;
  readonly webhookCount?: number;
  readonly readCount?: number;
  // `leaky`: one slot comes back per window ÷ limit; `fixed`: all of them when the window is over.
  readonly shape: 'leaky' | 'fixed';
  // Of all webhooks of a channel, told by no header.
  readonly hiddenWebhook: SimRate;
  // Of 401, 403 and 429 that are not shared; beyond it everyone is banned for so long.
  readonly invalid: SimRate;
  readonly banMs: number;
  // How long a nonce is remembered.
  readonly nonceMs: number;
  // Whether bots are told what others write (the Message Content intent).
  readonly messageContent: boolean;
  readonly firstAnswerMs: number;
  readonly interactionMs: number;
}

const perS = (count: number, seconds: number): SimRate => ({ count, perMs: seconds * 1000 });

export const DISCORD_DEFAULTS: SimDiscordOptions = {
  truth: 1,
  global: perS(50, 1),
  buckets: {
    create: perS(5, 5),
    edit: perS(5, 5),
    delete: perS(5, 1),
    bulk_delete: perS(1, 1),
    reaction: perS(1, 0.25),
    typing: perS(5, 5),
    thread: perS(5, 5),
    webhook: perS(5, 2),
    read: perS(5, 5),
    read_one: perS(50, 1),
    other: perS(50, 10),
  },
  shape: 'leaky',
  hiddenWebhook: perS(30, 60),
  invalid: perS(10_000, 600),
  banMs: 3_600_000,
  nonceMs: 300_000,
  messageContent: true,
  firstAnswerMs: 3000,
  interactionMs: 900_000,
};

export function discordOptions(given: Partial<SimDiscordOptions>): SimDiscordOptions {
  const all = { ...DISCORD_DEFAULTS, ...given };
  const rate = (r: SimRate) => scaled(r, all.truth);
  const { createCount, editCount, webhookCount, readCount } = all;
  const counts: Record<string, number | undefined> = {
    ...{ create: createCount, edit: editCount, webhook: webhookCount, read: readCount },
  };
  const buckets = Object.entries(all.buckets).map(([name, each]) => {
    const { [name]: count = each.count } = counts;
    return [name, rate({ ...each, count })];
  });
  return {
    ...all,
    global: rate(all.global),
    hiddenWebhook: rate(all.hiddenWebhook),
    buckets: Object.fromEntries(buckets) as SimDiscordOptions['buckets'],
  };
}
