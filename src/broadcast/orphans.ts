// Deliveries that were handed over and not noted: the process ended in between, or the store was away. They are found
// by the correlation and noted, so that whoever steers the broadcast knows of everyone who is on the road.

import { type Delivery, WITHDRAWN } from '../domain/delivery.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BroadcastStore } from '../store/ports/broadcasts.ts';
import type { Clock } from '../system/clock.ts';
import { describeFor, type Running } from './running.ts';

// More than was ever handed over without being noted.
const ORPHANS_MAX = 400;

export interface OrphanParts {
  readonly clock: Clock;
  readonly journal: { readonly broadcasts: BroadcastStore };
  readonly ledger: Pick<Ledger, 'search'>;
}

export async function adoptOrphans(parts: OrphanParts, running: Running): Promise<void> {
  const { clock, journal } = parts;
  const orphans = new Map(
    (await findOrphans(parts, running)).map((delivery) => [delivery.chat, delivery]),
  );
  if (orphans.size === 0) return;
  const { id, platform, stored } = running;
  // They are fed in order, so orphans are among the next.
  const members = await journal.broadcasts.next({ id, max: ORPHANS_MAX });
  const found = members.map(({ n, chat }) => {
    const { call } = describeFor(platform, stored.method, {}, chat);
    return { n, orphan: call.kind === 'call' ? orphans.get(call.chat) : undefined };
  });
  const upTo = found.findLastIndex(({ orphan }) => orphan !== undefined) + 1;
  const rows = found.slice(0, upTo).map(({ n, orphan }) => {
    // Who stands before one of them and was left out is fed again.
    if (orphan === undefined) return { n, seq: null, ...running.endOf('cancelled', WITHDRAWN) };
    return { n, seq: orphan.seq, ...running.endOf(orphan.state, orphan.reason) };
  });
  if (rows.length > 0) await journal.broadcasts.fed({ id, rows, at: clock.now() });
}

async function findOrphans(
  { journal, ledger }: OrphanParts,
  { publicId }: Running,
): Promise<Delivery[]> {
  const page = { limit: ORPHANS_MAX, before: null };
  const found = await ledger.search({ correlation: publicId }, page);
  const known = await journal.broadcasts.known({ seqs: found.map(({ seq }) => seq) });
  return found.filter(({ state, reason }, i) => {
    return !known[i] && !(state === 'cancelled' && reason === WITHDRAWN);
  });
}
