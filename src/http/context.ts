// HTTP: bytes to an accepted message. What the routes need of the gateway, and their bounds.
// Everything is parsed once, here; behind this wall there are only well-formed deliveries.

import type { AcceptContext, AcceptSettings } from '../accept/context.ts';
import type { Broadcasting } from '../broadcast/broadcast.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Guards } from '../keys/keys.ts';
import type { ScreenWatch } from '../platforms/platform.ts';
import type { Receiving } from '../spool/spool.ts';
import type { MinuteStore } from '../store/ports/minutes.ts';
import type { Feeds } from '../streams/feed/feed.ts';
import type { Live } from '../streams/streams.ts';
import type { Periodic } from '../system/periodic.ts';
import type { FleetSide } from './fleet/port.ts';
import type { IngestDesk } from './ingest/port.ts';
import type { Sandboxes } from './sandbox/port.ts';

export interface HttpParts extends AcceptContext {
  readonly guards: Guards;
  readonly periodic: Periodic;
  readonly health: () => Promise<Readonly<Record<string, HealthPart>>>;
  readonly metrics: HttpMetrics;
  readonly settings: HttpSettings;
  // Where files of calls lie until they are delivered.
  readonly spool: Receiving;
  // Left out: there are none.
  readonly broadcasts?: Broadcasting;
  // Left out: no text is shown while it grows.
  readonly output?: StreamOutput;
  // Left out: no channel is read.
  readonly ingest?: IngestDesk;
  // Left out: this process is the only one.
  readonly fleet?: FleetSide;
  // null: the simulator is switched off.
  readonly sandboxes: Sandboxes;
  // Left out: the gateway shows no chats itself.
  readonly screens?: ScreenWatch;
  // The settings in force, without secrets; left out: they are not told.
  readonly config?: object;
  // Of the gateway.
  readonly version: string;
  // Left out: nothing is kept of the minutes that are over.
  readonly minutes?: Pick<MinuteStore, 'since'>;
  // Left out: accounts cannot be removed. `by`: who asks for it.
  readonly removeAccount?: (id: AccountId, by: string) => Promise<RemovedAccount>;
}

export interface HttpSettings extends AcceptSettings {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly bodyBytesMax: number;
  // Of the files in one call.
  readonly uploadBytesMax: number;
  readonly batchMax: number;
  // How long a call that is passed straight through may take.
  readonly deadlineMs: number;
  readonly wait: { kind: 'hold' } | { kind: 'async' } | { kind: 'seconds'; seconds: number };
  // Whether what the platform refuses of a drop-in call is left out and the rest sent.
  readonly dropInCures: boolean;
  // Whether /metrics answers.
  readonly metrics: boolean;
  // Whose X-Forwarded-For is believed.
  readonly trustedProxies: readonly string[];
  readonly connectionsMax: number;
  // Whether `<think>…</think>` in what models stream is shown.
  readonly streamThoughts: boolean;
  // Left out: WAITING_MAX, PASSING_MAX.
  readonly waitingMax?: number;
  readonly passingMax?: number;
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
  // `elsewhere`: another node has it, and could not be reached.
  | { kind: 'unknown' | 'configured' | 'elsewhere' };

export interface StreamOutput {
  readonly live: Live;
  // Reads the bodies that are streams.
  readonly feeds: Feeds;
  // How long a producer may be silent, where it does not say so itself.
  readonly idleMs: number;
}

export interface HealthPart {
  readonly status: 'ok' | 'stale' | 'down';
  readonly [detail: string]: unknown;
}

export interface HttpMetrics {
  readonly contentType: string;
  text(): Promise<string>;
  countRequest(route: string, status: number): void;
  countPassed(account: AccountId, status: number | null): void;
}

// Callers that wait for a result at once, over all routes; who may have how many of the places: see system/shares.ts.
export const WAITING_MAX = 20_000;
// Calls passed straight through at once.
export const PASSING_MAX = 2000;
export const EVENT_CLIENTS_MAX = 200;
// What a client of /v1/events may leave unread before it is dropped.
export const EVENT_BACKLOG_BYTES_MAX = 1_048_576;
export const EVENT_HEARTBEAT_MS = 15_000;
