// What each node says of itself for the overview of all: who waits longest there, and what is wrong with its parts and
// platforms. What accounts and freezes have to say is known of their owners already; see cluster/views.ts.

import type { WaitingHead } from '../../road/road.ts';
import type { HttpParts } from '../context.ts';
import { type Incident, ownIncidents } from './incidents.ts';
import { type ShownWaiting, showWaiting } from './queue.ts';

export const OLDEST_SHOWN = 10;
// Looking for those who wait longest walks all lanes: it may cost this part of the time, then it is done less often.
const LOOK_SHARE = 50;

export interface NodeGlance {
  readonly oldest: readonly ShownWaiting[];
  readonly incidents: readonly Incident[];
}

export class LongestWaiting {
  readonly #options: HttpParts;
  #againAt = 0;
  #heads: readonly WaitingHead[] = [];

  constructor(options: HttpParts) {
    this.#options = options;
  }

  show(now: number): Promise<ShownWaiting[]> {
    const { clock, road } = this.#options;
    if (now >= this.#againAt) {
      this.#heads = road.waiting({}, OLDEST_SHOWN);
      this.#againAt = now + (clock.now() - now) * LOOK_SHARE;
    }
    return showWaiting(this.#options, this.#heads);
  }
}

// Of this node alone.
export async function incidentsHere(
  options: HttpParts,
  accounts: Parameters<typeof ownIncidents>[1],
): Promise<Incident[]> {
  const { health, platforms, fleet } = options;
  const unreachable = options.accounts.unreachable();
  const standing = { parts: await health(), platforms: platforms.values(), unreachable };
  const found = ownIncidents(standing, accounts);
  const node = fleet?.port.nodes().find(({ isSelf }) => isSelf)?.name;
  if (node === undefined) return found;
  return found.map((each) => ({ ...each, node, summary: `${node}: ${each.summary}` }));
}

// As the others said when they were last asked.
export function glancesElsewhere({ fleet }: Pick<HttpParts, 'fleet'>): NodeGlance[] {
  if (fleet?.side !== 'outer') return [];
  return fleet.port.nodes().flatMap(({ isSelf, view }) => {
    const glance = isSelf ? undefined : (view?.glance as NodeGlance | undefined);
    return glance === undefined ? [] : [glance];
  });
}

export function oldestOf(
  own: readonly ShownWaiting[],
  others: readonly NodeGlance[],
): ShownWaiting[] {
  const all = [...own, ...others.flatMap(({ oldest }) => oldest)];
  return all.sort((a, b) => (a.since < b.since ? -1 : 1)).slice(0, OLDEST_SHOWN);
}
