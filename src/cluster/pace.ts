// How often nodes report that they are alive, and how soon they believe that one is not. A node that dies right after a
// renewal is missed after `ttlMs`, seen to be missing at the next look, and its accounts are opened a moment later:
// with Postgres within 10 s, with Redis within 3 s. One whose machine says that its process is gone is missed sooner.
// The lower bound is how long a healthy process may stand still.

export interface MembershipPace {
  // Not renewed for so long: not a member any more.
  readonly ttlMs: number;
  readonly renewMs: number;
  // Between two looks at who is alive.
  readonly lookMs: number;
  // So long must the members have been the same before accounts are moved between live nodes.
  readonly settleMs: number;
}

export const POSTGRES_PACE: MembershipPace = {
  ttlMs: 7_000,
  renewMs: 2_000,
  lookMs: 1_000,
  settleMs: 3_000,
};

export const REDIS_PACE: MembershipPace = {
  ttlMs: 2_000,
  renewMs: 500,
  lookMs: 300,
  settleMs: 1_000,
};

// Owner rows are read when members change, when a node is notified, and this often besides.
export const RESYNC_MS = 5_000;
// A store that fails for so long is away for this node: others may take its accounts.
export const CUT_OFF_AFTER_MS = 3_000;
// Of one look at the owner rows: as long without an answer it has failed.
export const ROWS_MS_MAX = 3_000;
// What was away for all comes back to one node before it comes back to the next: for so long it believes of the others
// what it knew before, rather than take what they are about to go on with.
export const RETURN_GRACE_MS = 5_000;
// Not renewed for so long a node is asked for at its listener: if its machine refuses, the process is gone, and nobody
// waits for the rest of `ttlMs`, nor for a grace. Longer than between two renewals.
export const OVERDUE_AFTER_MS = 3_000;
export const ASK_LISTENER_MS_MAX = 500;
// Of one batch: each opening is a recovery, and thousands of them come at once when a node dies.
export const OPENS_MAX = 100;
// In one batch, each a short pause of its account. Who joins gets them from all others together; who leaves gives them
// to all others, and has little time.
export const HAND_OVERS_MAX = 20;
export const HAND_OVERS_LEAVING_MAX = 100;
// Between two batches to one that joined: it opens what it got before it gets more.
export const HAND_OVER_PAUSE_MS = 500;
// Of one call of coordination on Postgres and on Redis: less than what is left of `ttlMs` after a renewal was missed.
export const POSTGRES_CALL_MS_MAX = 3_000;
export const REDIS_CALL_MS_MAX = 700;
