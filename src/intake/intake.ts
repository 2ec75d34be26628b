// Intake: bytes to an accepted message. This is the room's door: what it needs from the house, and its bounds.
// Everything is parsed once, here; behind this wall there are only well-formed deliveries.

import type { Accounts } from '../accounts/accounts.ts';
import type { Broadcasting } from '../broadcast/broadcast.ts';
import type { Inbound } from '../inbound/inbound.ts';
import type { Guards } from '../keys/keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Live } from '../live/live.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Receiving } from '../spool/spool.ts';
import type { Clock } from '../system/clock.ts';
import type { Road } from './road.ts';
import type { Sandbox } from './sandbox-port.ts';
import type { Terminals } from './terminals.ts';

export interface IntakeOptions {
  readonly clock: Clock;
  readonly road: Road;
  readonly ledger: Ledger;
  // The journal's tag: ids of other stores are recognised by it.
  readonly tag: string;
  readonly accounts: Accounts;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly guards: Guards;
  readonly health: () => Promise<Readonly<Record<string, HealthPart>>>;
  readonly metrics: IntakeMetrics;
  readonly log: IntakeLog;
  readonly settings: IntakeSettings;
  // Where files of calls lie until they are delivered.
  readonly spool: Receiving;
  // Left out: there are none.
  readonly broadcasts?: Broadcasting;
  // Left out: no text is shown while it grows.
  readonly output?: LiveOutput;
  // null: the simulator is switched off.
  readonly sandbox: Sandbox | null;
  // Left out: there is no terminal to watch.
  readonly terminals?: Terminals;
  // Left out: accounts cannot be removed. `by`: who asks for it.
  readonly removeAccount?: (id: string, by: string) => Promise<RemovedAccount>;
  // Observers whose platform is still being asked for their account; see OBSERVERS_LATE_MAX.
  readonly late: { observers: number };
  // Left out: nobody looks at updates, and none come by webhook.
  readonly updates?: Inbound;
}

export interface IntakeSettings {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly bodyBytesMax: number;
  // Of the files in one call.
  readonly uploadBytesMax: number;
  readonly batchMax: number;
  readonly waitSMax: number;
  // How long a call that is passed straight through may take.
  readonly deadlineMs: number;
  readonly wait: { kind: 'hold' } | { kind: 'async' } | { kind: 'seconds'; seconds: number };
  // Whether /metrics answers.
  readonly metrics: boolean;
  readonly queueMaxOf: (account: string) => number;
  // Whose X-Forwarded-For is believed.
  readonly trustedProxies: readonly string[];
  readonly connectionsMax: number;
}

export type RemovedAccount =
  | {
      kind: 'removed';
      // Deliveries that waited; how many are in flight still.
      cancelled: number;
      inFlight: number;
      tokens: number;
      streams: number;
      broadcasts: number;
    }
  | { kind: 'unknown' | 'configured' };

export interface LiveOutput {
  readonly live: Live;
  // How long a producer may be silent, where it does not say so itself.
  readonly idleMs: number;
}

export interface HealthPart {
  readonly status: 'ok' | 'stale' | 'down';
  readonly [detail: string]: unknown;
}

export interface IntakeMetrics {
  readonly contentType: string;
  text(): Promise<string>;
  countRequest(route: string, status: number): void;
}

export interface IntakeLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

// Callers that wait for a result at once, over all routes; who may have how many of the places: see system/shares.ts.
export const WAITING_MAX = 20_000;
// Calls passed straight through at once.
export const PASSING_MAX = 2000;
export const EVENT_CLIENTS_MAX = 200;
// What a client of /v1/events may leave unread before it is dropped.
export const EVENT_BACKLOG_BYTES_MAX = 1_048_576;
export const EVENT_HEARTBEAT_MS = 15_000;
// How much longer the answer for an origin may take for its observers' receipts.
export const OBSERVERS_MS_MAX = 100;
// Observers that wait for their platform's word, over all messages; more are refused.
export const OBSERVERS_LATE_MAX = 10_000;
// Names, keys and ids given by callers.
export const NAME_LENGTH_MAX = 256;
export const YEAR_S = 366 * 86_400;
// After this long a typing sign or a draft is worth nothing.
export const COSMETIC_TTL_MS = 5000;
// What a caller is told to wait when the account's queue is full.
export const FULL_RETRY_S = 5;
