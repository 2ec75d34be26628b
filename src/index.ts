// The library: the same road in your own process, without HTTP unless you ask for it. One process owns a data folder.

import { createGateway as createFromConfig, type Gateway } from './app/gateway.ts';
import { configOf, type GatewayOptions } from './config/config.ts';

// `createGateway({ data: './data' })`; whatever is left out is as docs/configuration.md says, but for `log`: 'warn'.
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return createFromConfig(configOf(options));
}

export type {
  Audience,
  BroadcastCalls,
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
export type { AccountOptions, GatewayOptions, SettingOptions } from './config/config.ts';
export type { State } from './domain/delivery.ts';
export type { ErrorCode, Problem } from './domain/errors.ts';
export type { About, RoadEvent, RoadListener } from './domain/event.ts';
export type { Outcome } from './domain/outcome.ts';
export type { Priority } from './domain/priority.ts';
