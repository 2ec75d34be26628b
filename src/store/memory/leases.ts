// Leases in memory: the specification.

import type { LeaseAnswer, LeaseRequest } from '../ports/ingest.ts';

export interface LeaseRow {
  // null: released.
  readonly token: string | null;
  readonly node: string;
  readonly epoch: number;
  readonly until: number;
}

export type Leases = Map<string, LeaseRow>;

export function takeLease(leases: Leases, request: LeaseRequest): LeaseAnswer {
  const { name, token, node, now, ttlMs } = request;
  const row = leases.get(name);
  const until = now + ttlMs;
  if (row !== undefined && row.token === token) {
    leases.set(name, { ...row, until });
    return { kind: 'held', epoch: row.epoch, isTaken: false };
  }
  if (row !== undefined && row.token !== null && now < row.until) {
    return { kind: 'busy', node: row.node, until: row.until };
  }
  const epoch = (row?.epoch ?? 0) + 1;
  leases.set(name, { token, node, epoch, until });
  return { kind: 'held', epoch, isTaken: true };
}

export function releaseLease(leases: Leases, name: string, token: string): boolean {
  const row = leases.get(name);
  if (row === undefined || row.token !== token) return false;
  leases.set(name, { ...row, token: null });
  return true;
}

// Whoever took it since has raised the epoch. One that was never taken fences nobody.
export function isFenced(leases: Leases, lease: { name: string; epoch: number }): boolean {
  return lease.epoch < (leases.get(lease.name)?.epoch ?? 0);
}
