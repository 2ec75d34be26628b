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

const contest = JSON.parse(process.argv[2]!) as Contest;
tell(await Promise.all(SCENARIOS.map((_, i) => run(i))));

async function run(i: number): Promise<Run> {
  const { apiRoot, helpers, firstBot, giveUpMs } = contest;
  const bot = firstBot + i;
  const api = new Api(`${bot}:benchbenchbenchbenchbenchbenchbench`, { apiRoot });
  // In the order of the plugins' own documents: the throttler meets a call before the retries do.
  if (helpers.includes('auto-retry')) api.config.use(autoRetry());
  if (helpers.includes('throttler')) api.config.use(apiThrottler());
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
