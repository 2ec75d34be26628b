// What holds for a stream: the settings of its account and what its platform says of its chat, made into one answer.

import type { LiveTransport, Strategy } from '../domain/live.ts';
import type { LiveOutput, LiveRates } from '../platforms/platform.ts';
import type { TurnPace } from './pacing/session-turns.ts';

const MINUTE_MS = 60_000;

export interface OutputPace extends TurnPace {
  // The chat takes a message so often in the long run; 0: it does not matter.
  readonly slotMs: number;
  // So many slots of a minute are left free by previews.
  readonly slotsSpared: number;
}

// Named as the settings are.
export interface LiveSettings {
  // As the account's platform reads them out of its own settings; null: it shows no text that grows.
  readonly rates: LiveRates | null;
  // Off: each stream is shown as soon as the limits allow, whatever the others do.
  readonly qos: boolean;
  // Of the account's platform; null: as the platform says.
  readonly strategy: Strategy | null;
  readonly activeWindowMs: number;
  readonly tickMsMin: number;
  readonly chunkSpacingMs: number;
  // A hard limit on showings in one chat; null: none but the budget.
  readonly outputMpmMax: number | null;
}

export function strategyOf(settings: LiveSettings, live: LiveOutput): Strategy {
  return settings.qos ? (settings.strategy ?? live.strategy) : 'off';
}

// `lacksDrafts`: the chat was found to offer none.
export function transportOf(
  settings: LiveSettings,
  live: LiveOutput,
  chat: string,
  lacksDrafts: boolean,
): LiveTransport {
  const strategy = settings.strategy ?? live.strategy;
  if (strategy === 'chunks') return 'chunks';
  const best = live.transportOf(chat);
  return best === 'draft' && lacksDrafts ? 'edit' : best;
}

export function paceOf(
  settings: LiveSettings,
  live: LiveOutput,
  chat: string,
  transport: LiveTransport,
): OutputPace {
  const { rates, activeWindowMs, outputMpmMax, chunkSpacingMs } = settings;
  const strategy = strategyOf(settings, live);
  const leastMs = transport === 'chunks' ? chunkSpacingMs : 0;
  if (strategy === 'off') {
    return { budgetMpm: null, tickMsMin: leastMs, activeWindowMs, slotMs: 0, slotsSpared: 0 };
  }
  const isShared = strategy !== 'coalesce_only';
  const budget = isShared ? (rates?.budgetMpm(chat, transport) ?? null) : null;
  const budgetMpm = outputMpmMax === null ? budget : Math.min(budget ?? Infinity, outputMpmMax);
  const messageMpm = isShared ? (rates?.messageMpm(chat) ?? null) : null;
  const slotMs = messageMpm === null ? 0 : MINUTE_MS / messageMpm;
  const slotsSpared = Math.max(0, (messageMpm ?? 0) - (budgetMpm ?? messageMpm ?? 0));
  const tickMsMin = Math.max(settings.tickMsMin, leastMs);
  return { budgetMpm, tickMsMin, activeWindowMs, slotMs, slotsSpared };
}
