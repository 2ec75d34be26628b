// What the world needs of an engine, declared by the one who needs it; the gateway's road implements it,
// and so does the plain one in the tests. The world knows nothing else about what it torments.

import type { State } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Clock } from '../../system/clock.ts';
import type { Transport } from '../../system/http/transport.ts';
import type { Random } from '../../system/random.ts';

export interface WorldMessage {
  // `<platform>:<number>`, and the credential it calls with.
  readonly account: AccountId;
  readonly token: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly method: string;
  // The whole call, with chat_id and all.
  readonly params: Readonly<Record<string, unknown>>;
  readonly priority: Priority;
  // It answers someone who just wrote: not bound by the broadcast limit.
  readonly isReply: boolean;
  // It changes a message that is there; left out: as its method says.
  readonly changes?: boolean;
  // Edits of a growing text; the last of them is final.
  readonly live: boolean;
  readonly final: boolean;
  // Whom it replaces while it waits; left out: by the platform's own rule.
  readonly slot?: string | null;
  // Milliseconds since the epoch; 0: at once / never.
  readonly notBefore: number;
  readonly expiresAt: number;
}

export type EngineSubmitted = { kind: 'accepted'; seq: number } | { kind: 'refused'; code: string };

export interface WorldEnd {
  readonly state: State;
  readonly messageId: string | null;
}

// One delivery as the journal tells it, when all is over.
export interface WorldRecord {
  readonly seq: number;
  // The call's parameters (JSON text).
  readonly body: string;
  readonly state: State;
  readonly reason: string | null;
  readonly attempts: number;
  readonly failures: number;
  readonly doubts: number;
  readonly supersededBy: number | null;
  readonly dueAt: number;
  readonly settledAt: number | null;
  readonly messageId: string | null;
  // Of one that still waits: what for, in words; null: it does not, or nobody knows.
  readonly waitsFor: string | null;
}

export interface WorldLearnedRate {
  readonly account: AccountId;
  readonly chat: string;
  readonly rule: string;
  // What is believed now: as a share of what was believed at first, and in messages.
  readonly share: number;
  readonly perSecond: number;
}

export interface WorldEngine {
  // Resolves when it is durable.
  submit(message: WorldMessage): Promise<EngineSubmitted>;
  // Resolves when the delivery came to rest (or the one that took its place).
  ended(seq: number): Promise<WorldEnd>;
  // Resolves when it is durable; false: too late, it waits no more.
  cancel(seq: number): Promise<boolean>;
  // Everything in memory is gone, now. The world also cuts its clock and its wire.
  crash(): void;
  // Deliveries that have not come to rest.
  waiting(): number;
  all(): Promise<readonly WorldRecord[]>;
  learned(): Promise<readonly WorldLearnedRate[]>;
  // Of an engine of several nodes.
  readonly fleet?: WorldFleet;
}

export interface WorldFleet {
  readonly troubles: readonly WorldTrouble[];
  // Calls that a node made for an account that was not its own, in words.
  readonly strangers: readonly string[];
  // By how much clocks of its nodes may differ from the caller's.
  readonly clockMsMax: number;
}

// A node was dead, stood still or was cut off, with these accounts: what it had in flight then is in doubt.
export interface WorldTrouble {
  readonly accounts: ReadonlySet<AccountId>;
  readonly from: number;
  readonly until: number;
}

// Survives crashes: what the engine puts here is there when it is opened again.
export interface WorldDisk {
  content: unknown;
}

export interface WorldPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  // By platform, where a world has several; left out: all of them speak over the one.
  readonly wires?: ReadonlyMap<string, Transport>;
  // How long a commit takes at most; left out: a few milliseconds.
  readonly commitMsMax?: number;
  readonly disk: WorldDisk;
  // Every account there is, with its credential.
  readonly accounts: readonly { readonly id: AccountId; readonly token: string }[];
}

// Called at the start and again after each crash, with the same disk.
export type EngineFactory = (ports: WorldPorts) => Promise<WorldEngine>;
