// The library: the same road in your own process, without HTTP unless you ask for it. One process owns a data folder.
// Everything is imported when it is asked for: an older Node lacks modules that the rest needs, and would say that
// one of them is missing instead of what it is.

import type { Gateway } from './app/gateway.ts';
import type { GatewayOptions } from './config/config.ts';

const NODE_MAJOR_MIN = 24;

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  throw new Error(`sluice needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}`);
}

/**
 * Opens a gateway on a data folder: `createGateway({ data: './data' })`. Whatever is left out is as the settings say,
 * but for `log`, which is 'warn'.
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { configOf } = await import('./config/config.ts');
  const { createGateway: createFromConfig } = await import('./app/gateway.ts');
  return createFromConfig(configOf(options));
}

export type {
  Audience,
  BroadcastCalls,
  BroadcastControl,
  BroadcastOrder,
  BroadcastRecipient,
  ShownBroadcast,
} from './app/broadcasts.ts';
export type {
  Gateway,
  GatewayMessage,
  Receipt,
  ShownStream,
  StreamHandle,
  StreamMessage,
} from './app/gateway.ts';
export type { ListenOptions } from './app/listener.ts';
export type {
  DeadCalls,
  DeadCauses,
  DeadHandled,
  DeadListQuery,
  DeadOrder,
  DeadPage,
  MessageCalls,
  MessageExplanation,
  MessageStory,
  MovedMessage,
} from './app/messages.ts';
export type { AccountOptions, GatewayOptions, SettingOptions } from './config/config.ts';
export type { State } from './domain/delivery.ts';
export type { ErrorCode, Problem } from './domain/errors.ts';
export type { About, RoadEvent, RoadListener } from './domain/event.ts';
export type { Outcome } from './domain/outcome.ts';
export type { Priority } from './domain/priority.ts';
