// What the gateway's routes answer, as far as the page shows it. Times are ISO 8601.

export type Priority = 'critical' | 'high' | 'normal' | 'low';
export const PRIORITIES: readonly Priority[] = ['critical', 'high', 'normal', 'low'];

export const STATES = [
  'queued',
  'sending',
  'sent',
  'uncertain',
  'dead',
  'superseded',
  'expired',
  'cancelled',
] as const;
export type State = (typeof STATES)[number];

export function isState(word: string): word is State {
  return STATES.some((state) => state === word);
}

export interface Brief {
  readonly id: string;
  readonly state: State;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly session: string | null;
  readonly correlation: string;
  readonly method: string;
  readonly priority: Priority;
  readonly acceptedAt: string;
  readonly settledAt: string | null;
  readonly dueAt: string | null;
  readonly expiresAt: string | null;
  readonly tries: number;
  readonly doubts: number;
  readonly cures: readonly string[];
  readonly messageId: string | null;
  readonly supersededBy: string | null;
  readonly repeats: string | null;
  // null: not for this role to see.
  readonly preview?: string | null;
}

export interface Waiting extends Brief {
  readonly since: string;
  readonly position: number;
  readonly eta: string | null;
  readonly why: string;
  readonly cause: string | null;
  readonly waitsFor: string | null;
  readonly kinds: readonly string[];
  readonly behind: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export type Counted = 'accepted' | 'sent' | 'limited' | 'failed' | 'dead';

export interface Frozen {
  readonly account: string;
  readonly scope: string;
  readonly name: string;
  readonly since: string;
  readonly until: string;
  readonly cause: string;
}

export interface Incident {
  readonly code: string;
  readonly severity: 'critical' | 'warning';
  readonly account: string | null;
  readonly waiting: number;
  readonly until: string | null;
  readonly summary: string;
  readonly remedy: string;
  // What follows `sluice` to do it; null: nothing there helps.
  readonly command: string | null;
}

export interface Breaker {
  readonly state: 'closed' | 'open' | 'half_open';
  readonly until: string | null;
  readonly cause: string;
  readonly detail: string;
}

export type Depths = Readonly<Record<Priority | 'retry' | 'inFlight', number>>;

export interface Tick {
  readonly at: string;
  readonly second: Readonly<Record<Counted | 'waiting' | 'until', number>>;
  readonly totals: Readonly<Record<Counted, number>>;
  readonly depths: Depths;
  readonly oldestDueAt: string | null;
  readonly dead: number;
  readonly uncertain: number;
  readonly oldest: readonly Waiting[];
  readonly freezes: { readonly active: number; readonly shown: readonly Frozen[] };
  readonly accounts: {
    readonly total: number;
    readonly trouble: readonly Pick<Account, 'id' | 'paused' | 'refused' | 'breaker' | 'waiting'>[];
  };
  readonly streams: number;
  readonly incidents: readonly Incident[];
  // null: no channel is read here.
  readonly ingest: { readonly sources: number; readonly dead: number } | null;
  readonly marks: Readonly<Record<'deliveries' | 'streams' | 'ingest', number>>;
}

export type Series = Readonly<Record<Counted | 'waiting', readonly number[]>> & {
  readonly until: number;
};

export interface Overview extends Tick {
  readonly version: string;
  readonly startedAt: string;
  readonly series: Series;
}

export interface Account {
  readonly id: string;
  readonly platform: string;
  readonly paused: boolean;
  readonly refused: string | null;
  readonly breaker: Breaker;
  readonly waiting: number;
  readonly inFlight: number;
}

export interface Rule {
  readonly name: string;
  readonly scope: string;
  readonly says: string;
  readonly used: number;
  readonly count: number;
  readonly perMs: number;
  readonly learned: number;
  readonly freeAt: string | null;
}

export interface ChatLimits {
  readonly account: string;
  readonly chat: string;
  readonly rules: readonly Rule[];
  readonly freezes: readonly {
    readonly scope: string;
    readonly since: string | null;
    readonly until: string | null;
    readonly cause: string;
  }[];
}

export interface LimitsPage {
  readonly limits: readonly ChatLimits[];
  readonly total: number;
}
