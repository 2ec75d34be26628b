// One contestant in a process of its own: all scenarios at once, each with a bot of its own. Tells when it is done,
// or has had its time, what was asked for and how long it took.

import { autoRetry } from '@grammyjs/auto-retry';
import { apiThrottler } from '@grammyjs/transformer-throttler';
import { Api } from 'grammy';
import { tell } from '../engine/child.ts';
import { type Asked, SCENARIOS, stageOf } from './scenarios.ts';

export type Helper = 'auto-retry' | 'throttler';

export interface Contest {
  readonly apiRoot: string;
  readonly helpers: readonly Helper[];
  readonly firstBot: number;
  readonly giveUpMs: number;
}

export interface Run {
  readonly bot: number;
  readonly asked: readonly Asked[];
  // From the first ask until every call was answered; null: that never came.
  readonly tookMs: number | null;
}

// A bot that has run for a while: connections are open, and whoever learns from answers has had some.
const WARM_UP_CALLS = 60;
const WARM_UP_GAP_MS = 50;
const WARM_UP_BOT = 50;

const contest = JSON.parse(process.argv[2]!) as Contest;
await warmUp();
tell(await Promise.all(SCENARIOS.map((_, i) => run(i))));

function apiOf(bot: number): Api {
  const { apiRoot, helpers } = contest;
  const api = new Api(`${bot}:benchbenchbenchbenchbenchbenchbench`, { apiRoot });
  // In the order of the plugins' own documents: the throttler meets a call before the retries do.
  if (helpers.includes('auto-retry')) api.config.use(autoRetry());
  if (helpers.includes('throttler')) api.config.use(apiThrottler());
  return api;
}

async function warmUp(): Promise<void> {
  const stage = stageOf(apiOf(contest.firstBot + WARM_UP_BOT), []);
  const sent: Promise<unknown>[] = [];
  for (let i = 1; i <= WARM_UP_CALLS; i++) {
    sent.push(stage.send(i, 'warm'));
    await stage.pause(WARM_UP_GAP_MS);
  }
  await Promise.all(sent);
}

async function run(i: number): Promise<Run> {
  const { firstBot, giveUpMs } = contest;
  const bot = firstBot + i;
  const api = apiOf(bot);
  await api.getMe();
  const asked: Asked[] = [];
  const began = performance.now();
  const done = SCENARIOS[i]!.run(stageOf(api, asked)).then(() => performance.now() - began);
  const over = new Promise<null>((resolve) => {
    setTimeout(() => resolve(null), giveUpMs).unref();
  });
  const tookMs = await Promise.race([done, over]);
  return { bot, asked, tookMs };
}
