// The simulators there are, one line each: what sandbox tokens talk to in the gateway's own process, and what
// `sluice sim` serves.

import type { Clock } from '../system/clock.ts';
import type { Transport } from '../system/http/transport.ts';
import type { Random } from '../system/random.ts';
import { DISCORD_SIMULATOR } from './discord/simulator.ts';
import { NO_FAULTS } from './faults.ts';
import type { SimPeople, SimulatorKind } from './model.ts';
import { SLACK_SIMULATOR } from './slack/simulator.ts';
import { TELEGRAM_SIMULATOR } from './telegram/simulator.ts';
import { simTransport } from './transport.ts';
import { WHATSAPP_SIMULATOR } from './whatsapp/simulator.ts';

// By the name of the platform.
export const SIMULATORS: ReadonlyMap<string, SimulatorKind> = new Map<string, SimulatorKind>([
  ['telegram', TELEGRAM_SIMULATOR as SimulatorKind],
  ['discord', DISCORD_SIMULATOR as SimulatorKind],
  ['slack', SLACK_SIMULATOR as SimulatorKind],
  ['whatsapp', WHATSAPP_SIMULATOR as SimulatorKind],
]);

// It answers as a near server would.
const NETWORK = { latencyMs: 15, jitterMs: 10 };

export interface Simulator {
  readonly transport: Transport;
  readonly people: SimPeople;
}

// null: the platform has none.
export function openSimulator(
  platform: string,
  ports: { readonly clock: Clock; readonly random: Random },
): Simulator | null {
  const kind = SIMULATORS.get(platform);
  if (kind === undefined) return null;
  const model = kind.create({});
  const pages = kind.pagesOf?.(ports) ?? null;
  const transport = simTransport({ ...ports, model, pages, network: NETWORK, faults: NO_FAULTS });
  return { transport, people: kind.peopleOf(model) };
}
