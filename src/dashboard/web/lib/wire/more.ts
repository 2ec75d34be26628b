// What the routes of single deliveries, streams, broadcasts, dead letters and the sandbox answer.

import type { Brief, State } from './wire.ts';

export interface Attempt {
  readonly n: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly retryAfterMs: number | null;
}

export interface Delivery extends Brief {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly result: unknown;
  readonly attempts: readonly Attempt[];
  readonly history: readonly {
    readonly at: string;
    readonly from: State;
    readonly to: State;
    readonly reason: string;
    readonly by: string;
  }[];
  readonly position: number | null;
  readonly eta: string | null;
}

export interface Cause {
  readonly kind: string;
  readonly name: string;
  readonly until: string | null;
  readonly detail: string;
}

export type PastKind =
  | 'scheduled'
  | 'turn'
  | 'held'
  | 'freeze'
  | 'window'
  | 'ahead'
  | 'retry'
  | 'rest'
  | 'call';

export interface Explanation {
  readonly id: string;
  readonly state: State;
  readonly position: number | null;
  readonly eta: string | null;
  readonly summary: string;
  readonly cause: string | null;
  readonly waitsFor: string | null;
  readonly causes: readonly Cause[];
  // Of one that no longer waits.
  readonly past?: readonly {
    readonly kind: PastKind;
    readonly from: string;
    readonly ms: number;
    readonly detail: string;
  }[];
}

export interface StreamView {
  readonly id: string;
  readonly correlation: string;
  readonly state: string;
  readonly reason: string | null;
  readonly account: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly session: string | null;
  readonly transport: string;
  readonly units: number;
  readonly shownUnits: number;
  readonly messages: readonly { readonly id: string; readonly messageId: string | null }[];
  readonly openedAt: string;
  readonly changedAt: string;
  readonly cadenceMs: number | null;
  readonly superseded: number;
  readonly waitsFor: string | null;
}

export interface Broadcast {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly progress: Readonly<Record<string, number>>;
  readonly perSecond: number | null;
  readonly eta: string | null;
  readonly account: string;
  readonly method: string;
  readonly priority: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly notBefore: string | null;
  readonly endedAt: string | null;
}

export interface KeyScope {
  readonly accounts: readonly string[] | null;
  readonly chats: readonly string[] | null;
  readonly methods: readonly string[] | null;
  readonly perMinute: number | null;
}

export interface KeyView {
  readonly id: string;
  readonly kind: 'key' | 'virtual';
  readonly name: string;
  readonly role: string;
  readonly active: boolean;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
  readonly scope: KeyScope;
}

export interface NewKey extends KeyView {
  readonly secret: string;
}

// Of GET /v1/nodes; null: it did not answer, or is alone.
export interface FleetNode {
  readonly name: string;
  readonly url: string | null;
  readonly state: string;
  readonly startedAt: string | null;
  readonly self: boolean;
  readonly answers: boolean;
  readonly accounts: number | null;
  readonly waiting: number | null;
  readonly inFlight: number | null;
}

export interface AuditEntry {
  readonly at: string;
  readonly by: string;
  readonly action: string;
  readonly target: string;
  readonly result: string;
}

export interface Health {
  readonly scheduler: { readonly status: string; readonly interval_sec: number | null };
  readonly parts: Readonly<Record<string, HealthPart>>;
}

interface HealthPart {
  readonly status: 'ok' | 'stale' | 'down';
  readonly code?: string;
  // Of the part that is made of periodic work.
  readonly jobs?: readonly { readonly name: string; readonly state: string }[];
}

export interface DeadGroup {
  readonly account: string;
  readonly reason: string;
  readonly count: number;
  readonly oldestAt: string;
  readonly newestAt: string;
  readonly example: string;
}

export interface DeadDone {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly {
    readonly id: string;
    readonly code: string;
    readonly detail: string;
  }[];
  readonly next: string | null;
}

export interface SandboxMessage {
  readonly account: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly id: string;
  readonly at: string;
  readonly fromBot: boolean;
  readonly text: string | null;
  readonly isDeleted: boolean;
}

export interface SandboxView {
  readonly bots: readonly string[];
  readonly chats: readonly SandboxMessage[];
}

export interface SettingView {
  readonly value: unknown;
  readonly meaning: string;
  readonly unit: string | null;
  readonly variable: string;
  readonly isDefault: boolean;
}

export interface ConfigView {
  readonly settings: Readonly<Record<string, SettingView>>;
  readonly accounts: readonly {
    readonly name: string;
    readonly platform: string;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
}

export interface History {
  // The second in which the last step ends.
  readonly until: number;
  readonly stepS: number;
  readonly sent: readonly number[];
  readonly failed: readonly number[];
  readonly dead: readonly number[];
  readonly p50Ms: readonly (number | null)[];
  readonly p95Ms: readonly (number | null)[];
}

// One number of an account's limits; `usual`: what holds where nothing is set by hand.
export interface LimitSetting {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string | null;
  readonly expected: string;
  readonly value: number | null;
  readonly usual: number | null;
  readonly from: 'default' | 'settings' | 'hand';
}

export interface LimitSettings {
  readonly id: string;
  readonly settings: readonly LimitSetting[];
}
