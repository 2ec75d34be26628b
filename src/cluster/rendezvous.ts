// Which node should own an account: rendezvous hashing. Every node scores every account, and the highest score wins,
// so one that joins takes 1/N of the accounts from all others alike, and those of one that leaves are spread over the
// rest; nothing else moves. Names are hashed, not processes: a node that starts again is the owner of what it owned
// before.

import type { FleetNode } from './coordination.ts';

export type HashedNode = Pick<FleetNode, 'name' | 'incarnation' | 'startedAt'>;

export interface Rendezvous<N extends HashedNode> {
  // null: there are no nodes.
  ownerOf(account: string): N | null;
  // Who would own it if those before were gone.
  ranked(account: string): N[];
}

export function ownerFor<N extends HashedNode>(account: string, nodes: readonly N[]): N | null {
  return rendezvous(nodes).ownerOf(account);
}

export function rendezvous<N extends HashedNode>(nodes: readonly N[]): Rendezvous<N> {
  const entries = distinct(nodes).map((node) => ({ node, hash: hashOf(node.name) }));
  return {
    ownerOf(account) {
      const hash = hashOf(account);
      let owner: N | null = null;
      let highest = -1;
      for (const entry of entries) {
        const score = scoreOf(hash, entry.hash);
        // Of equal scores the first by name.
        if (score > highest) [owner, highest] = [entry.node, score];
      }
      return owner;
    },
    ranked(account) {
      const hash = hashOf(account);
      return entries
        .map((entry) => ({ node: entry.node, score: scoreOf(hash, entry.hash) }))
        .toSorted((a, b) => b.score - a.score)
        .map(({ node }) => node);
    },
  };
}

// One of each name, in the order of names: of two processes the one that was started later.
function distinct<N extends HashedNode>(nodes: readonly N[]): N[] {
  const byName = new Map<string, N>();
  for (const node of nodes) {
    const other = byName.get(node.name);
    if (other === undefined || isSuccessor(node, other)) byName.set(node.name, node);
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isSuccessor(node: HashedNode, other: HashedNode): boolean {
  if (node.startedAt !== other.startedAt) return node.startedAt > other.startedAt;
  return node.incarnation > other.incarnation;
}

interface Hash {
  readonly high: number;
  readonly low: number;
}

// cyrb53's two lanes of 32 bits each, over the text's code units.
function hashOf(text: string): Hash {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  return { high, low };
}

const LOW_VALUES = 2 ** 32;
const HIGH_BITS = 0x1fffff;

// 53 bits: what a number holds exactly.
function scoreOf(account: Hash, node: Hash): number {
  const high = mixed(account.high ^ mixed(node.high ^ account.low));
  const low = mixed(account.low ^ mixed(node.low ^ account.high));
  return (high & HIGH_BITS) * LOW_VALUES + (low >>> 0);
}

// The finalizer of splitmix32 (system/random.ts): each bit of the input changes half of the output.
function mixed(value: number): number {
  let z = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}
