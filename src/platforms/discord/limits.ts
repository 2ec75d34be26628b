// The priors: what Discord's headers commonly say, and what no header says. 50 calls a second of one bot are
// documented; answers to interactions are exempt. Buckets are told by the headers of each answer (limits/buckets.ts);
// these rules stand for them until then. Most come back one by one, so they are debts; where one is a window, its
// headers hold back what the debt would let go.

import type { Plan, Priors, Rule } from '../../limits/limits.ts';
import { debt, plan, priorsBy, windowed } from '../shared/plans.ts';
import { type Kind, ROUTES } from './routes.ts';

export interface DiscordLimits {
  readonly discordPerS: number;
  readonly discordChannelBurst: number;
  readonly discordWebhookMpm: number;
}

export const DISCORD_LIMITS_DEFAULT: DiscordLimits = Object.freeze({
  discordPerS: 50,
  discordChannelBurst: 5,
  discordWebhookMpm: 30,
});

// Kept free for what the gateway itself asks: who the bot is, what time it is.
const OWN_CALLS_PER_S = 1;

export function discordPriors(given: Partial<DiscordLimits>): Priors {
  const plans = plansOf({ ...DISCORD_LIMITS_DEFAULT, ...given });
  return priorsBy(
    ROUTES.map(({ name, family, kind }) => ({ method: name, family, plan: plans[kind] })),
  );
}

function plansOf(limits: DiscordLimits): Readonly<Record<Kind, Plan>> {
  const perS = Math.max(1, limits.discordPerS - OWN_CALLS_PER_S);
  const global = [windowed('global_second', 'account', perS, 1000)];
  const plans = new Map<string, Plan>();
  const add = (kind: Kind, account: readonly Rule[], ...chat: Rule[]) => {
    const route = kind === 'interaction' ? {} : { route: kind };
    plans.set(kind, Object.freeze({ ...plan(account, chat), ...route }));
  };
  const bucket = (name: string, count: number, perMs: number) => debt(name, 'chat', count, perMs);
  const perChannel = (name: string) => bucket(name, limits.discordChannelBurst, 5000);
  add('create', global, perChannel('create_5s'));
  add('edit', global, perChannel('edit_5s'));
  add('thread', global, bucket('thread_5s', 5, 5000));
  add('delete', global, bucket('delete_second', 5, 1000));
  add('bulk_delete', global, windowed('bulk_delete_second', 'chat', 1, 1000));
  add('reaction', global, windowed('reaction_spacing', 'chat', 1, 250));
  // The sign lasts ten seconds.
  add('typing', global, windowed('typing_spacing', 'chat', 1, 8000));
  const hidden = windowed('webhook_minute', 'chat', limits.discordWebhookMpm, 60_000);
  add('webhook', global, bucket('webhook_2s', 5, 2000), hidden);
  add('interaction', []);
  return Object.fromEntries(plans) as Record<Kind, Plan>;
}
