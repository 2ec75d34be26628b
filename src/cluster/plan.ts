// What one node should do next about who owns which account: pure, and each node plans for itself. Safety does not
// hang on it: two nodes that disagree raise the epoch in turn. So the rules are about calm. What nobody owns is opened
// by the node that hashing names; what a live node owns is left until that node hands it over; an owner hands over
// what should be another's, a few at a time, and only while the fleet has not changed for a moment.

import type { AccountId } from '../domain/ids.ts';
import type { FleetNode } from './coordination.ts';
import { type Rendezvous, rendezvous } from './rendezvous.ts';

export interface OwnershipFacts {
  // The incarnation of the node that plans.
  readonly self: string;
  // Who is alive, the planning node among them.
  readonly members: readonly FleetNode[];
  // What the store says; those that other live nodes own may be left out.
  readonly rows: readonly OwnerRow[];
  // The accounts that were open in this process before `rows` were read: a row that names another is then the later.
  readonly open: Iterable<AccountId>;
  // Whether the members have been the same for a while; see `membership.ts`.
  readonly isSettled: boolean;
  // Each is a short pause of its account.
  readonly handOversMax: number;
}

export interface OwnerRow {
  readonly account: AccountId;
  // The incarnation of its owner; null: nobody.
  readonly node: string | null;
}

export interface OwnershipPlan {
  readonly open: readonly AccountId[];
  readonly handOver: readonly HandOver[];
  // Open here, and another's by now: whatever is done for them is refused.
  readonly lost: readonly AccountId[];
}

export interface HandOver {
  readonly account: AccountId;
  // The incarnation of who should open it.
  readonly to: string;
}

export function planOwnership(facts: OwnershipFacts): OwnershipPlan {
  const { self, rows, handOversMax } = facts;
  const open = new Set(facts.open);
  const node = facts.members.find(({ incarnation }) => incarnation === self);
  const lost = rows
    .filter(({ account, node }) => open.has(account) && node !== self)
    .map(({ account }) => account);
  for (const account of lost) open.delete(account);

  return {
    open: opensOf(facts, node, open),
    handOver: handOversMax > 0 ? handOversOf(facts, node, open) : [],
    lost,
  };
}

function opensOf(
  { self, members, rows, isSettled }: OwnershipFacts,
  node: FleetNode | undefined,
  open: ReadonlySet<AccountId>,
): AccountId[] {
  if (node?.state !== 'ready') return [];
  const alive = new Map(members.map((member) => [member.incarnation, member]));
  const owners = readyOnes(members);
  const opens: AccountId[] = [];
  for (const row of rows) {
    if (open.has(row.account)) continue;
    // Its own and not open: something failed on the way. It is opened again, and handed over if it should be another's.
    const isOwn = row.node === self;
    if (!isOwn && !isFree(row.node === null ? undefined : alive.get(row.node), isSettled)) continue;
    if (isOwn || owners.ownerOf(row.account)?.incarnation === self) opens.push(row.account);
  }
  return opens;
}

// The store may be away for all, and some notice its return first: they leave the others a moment to do so.
function isFree(owner: FleetNode | undefined, isSettled: boolean): boolean {
  return owner === undefined || (owner.state === 'cut_off' && isSettled);
}

function handOversOf(
  { self, members, isSettled, handOversMax }: OwnershipFacts,
  node: FleetNode | undefined,
  open: ReadonlySet<AccountId>,
): HandOver[] {
  // Who is not a member any more does not know who is.
  if (node === undefined || node.state === 'cut_off') return [];
  if (node.state === 'ready' && !isSettled) return [];
  const owners = readyOnes(members);
  const handOvers: HandOver[] = [];
  for (const account of open) {
    const owner = owners.ownerOf(account);
    if (owner === null || owner.incarnation === self) continue;
    handOvers.push({ account, to: owner.incarnation });
    if (handOvers.length === handOversMax) break;
  }
  return handOvers;
}

function readyOnes(members: readonly FleetNode[]): Rendezvous<FleetNode> {
  return rendezvous(members.filter(({ state }) => state === 'ready'));
}
