// What every engine of a simulated world is made of: its platforms on a simulated wire, commits that take time,
// accounts that are what the world says, and messages of the world as the road takes them.

import type { Settings } from '../../config/config.ts';
import type { NewDelivery } from '../../domain/delivery.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';
import type { FileSource, Platform } from '../../platforms/platform.ts';
import { PLATFORMS } from '../../platforms/registry.ts';
import type { Road } from '../../road/road.ts';
import type { WorldLearnedRate, WorldMessage, WorldPorts } from '../../sim/sim.ts';
import type { AccountStore } from '../../store/ports/accounts.ts';
import { assert } from '../../system/assert.ts';
import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import type { EngineAccounts } from '../delivery.ts';

export const COMMIT_MS_MAX = 3;
const NO_FILES: FileSource = {
  has: () => false,
  read(): never {
    throw new Error('a world has no uploads');
  },
};

export type Platforms = ReadonlyMap<string, Platform>;

// Those whose accounts the world has.
export async function openPlatforms(
  ports: Pick<WorldPorts, 'clock' | 'transport' | 'wires' | 'accounts'>,
  settings: Settings,
): Promise<Platforms> {
  const platforms = new Map<string, Platform>();
  for (const name of new Set(ports.accounts.map(({ id }) => platformOf(id)))) {
    platforms.set(name, await openPlatform(name, ports, settings));
  }
  return platforms;
}

export async function openPlatform(
  name: string,
  { clock, transport, wires }: Pick<WorldPorts, 'clock' | 'transport' | 'wires'>,
  settings: Settings,
): Promise<Platform> {
  const definition = PLATFORMS.find((each) => each.name === name);
  assert(definition !== undefined, 'a world is of platforms that there are');
  return definition.open({
    settings: { ...settings },
    clock,
    connect: () => wires?.get(name) ?? transport,
    sandbox: null,
    files: NO_FILES,
    reusesFiles: true,
    isLoopback: true,
    warn: () => {},
  });
}

// A group commit: commands that come while one is under way share the next moment, in order.
export function groupedDelay(clock: Clock, random: Random, msMax: number): () => Promise<void> {
  let next: Promise<void> | null = null;
  return () => {
    next ??= new Promise((resolve) => {
      clock.schedule(clock.now() + msMax * random.next(), () => {
        next = null;
        resolve();
      });
    });
    return next;
  };
}

export function worldAccounts(
  ports: Pick<WorldPorts, 'clock' | 'accounts'>,
  { platforms, settings }: { platforms: Platforms; settings: Settings },
  journal: Pick<AccountStore, 'saveAccount'>,
  refused: Set<string>,
): EngineAccounts {
  const tokens = new Map(ports.accounts.map(({ id, token }) => [id, token]));
  const stateOf = (id: AccountId) => ({
    paused: false,
    refused: refused.has(id) ? ACCOUNT_REFUSED : null,
  });
  return {
    platformOf: (id) => {
      const platform = platforms.get(platformOf(id))!;
      return { platform, priors: platform.limits, host: platform.name, settings };
    },
    get: stateOf,
    list: () => ports.accounts.map(({ id }) => ({ id, platform: platformOf(id), ...stateOf(id) })),
    credentialOf: (id) => tokens.get(id) ?? null,
    setRefused(id, reason) {
      if (reason === null) refused.delete(id);
      else refused.add(id);
      const createdAt = ports.clock.now();
      const account = { id, platform: platformOf(id), sealed: '', paused: false, createdAt };
      return journal.saveAccount({ ...account, refused: reason });
    },
    setPaused: async () => true,
  };
}

// What a road believes of rates that it has found to be lower.
export function learnedRates(road: Pick<Road, 'limits'>): WorldLearnedRate[] {
  return road.limits(null).flatMap(({ account, chat, rules }) =>
    rules
      .filter(({ learned }) => learned < 1)
      .map(({ name, count, perMs, learned }) => ({
        account,
        chat,
        rule: name,
        share: learned,
        perSecond: (count * 1000) / perMs,
      })),
  );
}

export function deliveryOf(
  message: WorldMessage,
  platforms: Platforms,
  acceptedAt: number,
): NewDelivery {
  const { account, params, priority, live, final, notBefore, expiresAt, thread } = message;
  const platform = platforms.get(platformOf(account))!;
  const call = platform.calls.describe(message.method, params);
  assert(call.kind === 'call', 'the world only makes calls');
  const { budgets } = platform;
  const isAnswer = message.isReply && call.budget === budgets.unsolicited;
  return {
    account,
    platform: platform.name,
    chat: call.chat,
    thread,
    session: null,
    user: null,
    correlation: null,
    method: call.method,
    family: call.family,
    budget: isAnswer ? (budgets.reply ?? call.budget) : call.budget,
    priority,
    cost: call.cost,
    live,
    final,
    slot: message.slot === undefined ? call.slot : message.slot,
    notBefore,
    expiresAt,
    acceptedAt,
    idempotencyKey: null,
    body: JSON.stringify(params),
  };
}
