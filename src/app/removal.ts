// Removing an account: whatever speaks for it ends first (streams, broadcasts, virtual tokens), then what waits is
// cancelled, on record, and its token forgotten. What the platform's limits say of it is kept as long as it matters:
// removing and adding it again is no way around a wait.

import { ACCOUNT_REMOVED } from '../domain/delivery.ts';
import type { AccountId } from '../domain/ids.ts';
import type { HttpParts, RemovedAccount } from '../http/context.ts';
import type { Road } from '../road/road.ts';
import type { StreamView } from '../streams/streams.ts';
import type { Resources } from './resources.ts';

type Services = Pick<HttpParts, 'broadcasts' | 'output' | 'guards' | 'ingest'>;

const BROADCASTS_PAGE = 100;

export async function removeAccount(
  resources: Resources,
  services: Services,
  id: AccountId,
  by: string,
): Promise<RemovedAccount> {
  const { accounts, engine, fleet } = resources;
  if (accounts.get(id) === null) return { kind: 'unknown' };
  if (accounts.isConfigured(id)) return { kind: 'configured' };
  // Only its owner knows what waits.
  if (fleet !== null && (await fleet.accounts.claim(id)).kind !== 'here')
    return { kind: 'elsewhere' };
  const tokens = await revokeTokens(services, id);
  const streams = await cancelStreams(services, id);
  const broadcasts = await cancelBroadcasts(services, id);
  const before = await engine.dispatch.cancelAll(id, ACCOUNT_REMOVED, by);
  await forgetLimits(engine.road, id);
  if (!(await accounts.remove(id))) return { kind: 'unknown' };
  // What was accepted meanwhile.
  const after = await engine.dispatch.cancelAll(id, ACCOUNT_REMOVED, by);
  const { inFlight } = engine.dispatch.state.scheduler.depthOf(id);
  return { kind: 'removed', cancelled: before + after, inFlight, tokens, streams, broadcasts };
}

// What was set by hand was set for this use of it.
async function forgetLimits(road: Road, id: AccountId): Promise<void> {
  const byHand = road.limitSettings(id)?.filter(({ from }) => from === 'hand') ?? [];
  if (byHand.length === 0) return;
  await road.setLimits(id, Object.fromEntries(byHand.map(({ name }) => [name, null])));
}

// Whether an account can be dropped from memory: nothing of it is on its way, and no key, reader, stream or broadcast
// uses it. Of a fleet only by its owner: everybody else sees nothing of what waits.
export function mayLetGo(resources: Resources, services: Services): (id: AccountId) => boolean {
  const { accounts, engine, fleet } = resources;
  return (id) => {
    const { paused = true } = accounts.get(id) ?? {};
    if (fleet !== null && !fleet.accounts.isHere(id)) return false;
    if (services.broadcasts?.isBusy(id) === true) return false;
    if (paused || !engine.dispatch.state.scheduler.isIdle(id)) return false;
    if (services.guards.keyring.speaksFor(id) || services.ingest?.readsWith(id) === true) {
      return false;
    }
    return streamsOf(services, id).length === 0;
  };
}

function streamsOf({ output }: Services, id: AccountId): StreamView[] {
  return output?.live.list().filter(({ account }) => account === id) ?? [];
}

async function cancelStreams(services: Services, id: AccountId): Promise<number> {
  const open = streamsOf(services, id);
  await Promise.all(open.map((stream) => services.output!.live.cancel(stream.id)));
  return open.length;
}

async function cancelBroadcasts({ broadcasts }: Services, id: AccountId): Promise<number> {
  let cancelled = 0;
  let before: string | null = null;
  while (broadcasts !== undefined) {
    const page: Awaited<ReturnType<typeof broadcasts.list>> = await broadcasts.list({
      before,
      max: BROADCASTS_PAGE,
    });
    for (const { id: broadcast, account, state } of page) {
      if (account !== id || (state !== 'running' && state !== 'paused')) continue;
      await broadcasts.steer(broadcast, 'cancelled');
      cancelled += 1;
    }
    if (page.length < BROADCASTS_PAGE) break;
    before = page.at(-1)!.id;
  }
  return cancelled;
}

async function revokeTokens({ guards }: Services, id: AccountId): Promise<number> {
  const tokens = guards.keyring.virtualTokensOf(id);
  for (const token of tokens) await guards.keyring.revoke(token);
  return tokens.length;
}
