// What a node writes of itself where others read it, and what they make of it: anybody may have written there.

import type { FleetNode, NodeState } from './coordination.ts';

const STATES: readonly string[] = ['ready', 'leaving', 'cut_off'] satisfies NodeState[];

// null: it is none.
function readNode(record: unknown): FleetNode | null {
  if (typeof record !== 'object' || record === null) return null;
  const { name, incarnation, url, startedAt, state, withoutRedis, isOverdue, proof } =
    record as Record<string, unknown>;
  if (typeof name !== 'string' || typeof incarnation !== 'string') return null;
  if (typeof url !== 'string' || typeof startedAt !== 'number') return null;
  if (typeof state !== 'string' || !STATES.includes(state)) return null;
  const node = { name, incarnation, url, startedAt, state: state as NodeState };
  return {
    ...node,
    ...(withoutRedis === true && { withoutRedis }),
    ...(isOverdue === true && { isOverdue }),
    ...(typeof proof === 'string' && proof !== '' && { proof }),
  };
}

export function readNodes(records: readonly unknown[]): FleetNode[] {
  return records.map(readNode).filter((node) => node !== null);
}

export function byName(a: FleetNode, b: FleetNode): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.incarnation < b.incarnation ? -1 : 1;
}
