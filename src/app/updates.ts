// Joins updates with the gateway: kept in its store, posted to apps over connections of their own; the calls an app
// answers with are submitted like any other.

import { takeReceipt } from '../dispatch/receipts.ts';
import { type AccountId, parseId, platformOf } from '../domain/ids.ts';
import type { HttpParts } from '../http/context.ts';
import { makeWebhookCall } from '../http/webhook-call.ts';
import type { MessageReceipt } from '../platforms/platform.ts';
import type { UpdateStore } from '../store/ports/updates.ts';
import { undiciPosting } from '../system/http/post.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { POSTS_MAX } from '../updates/forwarder.ts';
import { createInbound, type Inbound } from '../updates/updates.ts';
import type { Resources } from './resources.ts';

const NAME_MS_MAX = 5000;

export interface OpenUpdates {
  readonly inbound: Inbound;
  // Within the time; what hangs longer is cut off, and goes again after the next start.
  stop(deadlineMs: number): Promise<void>;
}

interface UpdateFollower {
  // An update came, of whatever kind.
  observe?(account: AccountId, update: unknown): Promise<void>;
  // Someone wrote in the chat.
  onUpdate?(account: AccountId, chat: string): void;
}

// `options`: asked when an app answers with a call, which is after the HTTP side was made.
export function openUpdates(
  resources: Resources,
  metrics: Pick<Metrics, 'countUpdate'>,
  options: () => HttpParts,
  followers: readonly UpdateFollower[],
): OpenUpdates {
  const { clock, periodic, random, journal, accounts, settingsOf, log } = resources;
  const { secret, secretPrevious } = resources;
  const posting = undiciPosting(POSTS_MAX);
  const inbound = createInbound({
    clock,
    periodic,
    random,
    journal: { incoming: followed(journal.incoming, followers) },
    secret,
    secretPrevious,
    isFleet: resources.fleet !== null,
    accounts: {
      list: () => accounts.list().map(({ id }) => id),
      has: (id) => accounts.get(id) !== null,
    },
    platformOf: (account) => resources.platforms.get(platformOf(account)),
    settingsOf,
    post: posting.post,
    call: (account, call, key) => makeWebhookCall(options(), account, call, key),
    receipt: (account, receipt) => receive(resources, account, receipt),
    usernameOf: (account) => usernameOf(resources, account),
    async observe(account, update) {
      for (const follower of followers) await follower.observe?.(account, update);
    },
    count: metrics.countUpdate,
    log,
  });
  accounts.listen(({ id, kind }) => {
    if (kind === 'removed' || kind === 'evicted') inbound.forget(id);
  });
  return {
    inbound,
    async stop(deadlineMs) {
      await inbound.stop(deadlineMs);
      await posting.close();
    },
  };
}

// Found by its delivery's id, or where it carries none of this account's, by the message's. The id in a post is not to
// be trusted: with another account's delivery the store would answer that this account has a new owner.
async function receive(
  { engine, ledger, journal }: Resources,
  account: AccountId,
  { delivery, ...receipt }: MessageReceipt,
): Promise<void> {
  const { messageId } = receipt;
  const named = delivery === null ? null : parseId(journal.tag, delivery);
  const isOwn = named !== null && (await ledger.get(named))?.account === account;
  const [found] = isOwn
    ? []
    : await ledger.search({ account, messageId }, { limit: 1, before: null });
  const seq = isOwn ? named : found?.seq;
  if (seq !== undefined) await takeReceipt(engine.dispatch, { account, seq, ...receipt });
}

async function usernameOf(resources: Resources, account: AccountId): Promise<string | null> {
  const { wire, updates } = resources.platforms.get(platformOf(account)) ?? {};
  const credential = resources.accounts.credentialOf(account);
  if (wire === undefined || updates === undefined || credential === null) return null;
  const call = { credential, ...updates.nameCall, deadlineMs: NAME_MS_MAX };
  const reply = await wire.send(call).catch((error: unknown) => {
    resources.report('update', error, { account });
    return null;
  });
  return reply === null ? null : updates.nameIn(reply);
}

function followed(incoming: UpdateStore, followers: readonly UpdateFollower[]): UpdateStore {
  return {
    ...incoming,
    record(batch) {
      for (const { account, chat, voice } of batch) {
        if (voice === 'none' || chat === null) continue;
        for (const follower of followers) follower.onUpdate?.(account, chat);
      }
      return incoming.record(batch);
    },
  };
}
