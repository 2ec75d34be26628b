// Joins broadcasts with the gateway: kept in its store, fed to its road, counted by its metrics; and the calls of the
// library.

import { Readable } from 'node:stream';
import { type Broadcasting, createBroadcasting } from '../broadcast/broadcast.ts';
import type { Config } from '../config/config.ts';
import type { Problem } from '../domain/errors.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import {
  type BroadcastOptions,
  draftFrom,
  findBroadcast,
  makeBroadcast,
  noBroadcast,
  steerBroadcast,
} from '../http/broadcasts/calls.ts';
import type { BroadcastOrder } from '../http/broadcasts/schema.ts';
import { type ShownBroadcast, showAudience, showRecipient } from '../http/broadcasts/view.ts';
import { valueProblem } from '../http/edge.ts';
import type { RecipientState } from '../store/ports/broadcasts.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { giveUp, type Resources } from './resources.ts';
import { ownsOf } from './streams.ts';

export type { BroadcastOrder } from '../http/broadcasts/schema.ts';
export type { ShownBroadcast } from '../http/broadcasts/view.ts';

const NO_HEADERS = { correlation: null, idempotencyKey: null, holder: HOLDERS.library };
const PAGE = 1000;

export function openBroadcasts(
  config: Config,
  resources: Resources,
  metrics: Pick<Metrics, 'countRecipient' | 'broadcastGauges'>,
): Broadcasting {
  const { clock, periodic, journal, ledger, platforms, settingsOf, log, report } = resources;
  const { road, dispatch } = resources.engine;
  const broadcasting = createBroadcasting({
    ...{ clock, periodic, journal, ledger, platforms, settingsOf, log, road, report },
    settings: config,
    ...ownsOf(resources),
    notifyOwner: (account) => resources.fleet?.notifyOwner(account),
    rulesOf: (account, charge) => dispatch.state.profileOf(account).priors.planOf(charge).account,
    count: metrics.countRecipient,
    fatal: (error) => giveUp(log, error),
  });
  metrics.broadcastGauges(() => broadcasting.live());
  return broadcasting;
}

export type BroadcastRecipient = ReturnType<typeof showRecipient>;
export type Audience = ReturnType<typeof showAudience>;

export interface BroadcastCalls {
  /** One message to many chats: what `POST /v1/broadcasts` takes; durable when it resolves. */
  broadcast(order: BroadcastOrder): Promise<ShownBroadcast | Problem>;
  /** What can be done with one, and the lists they go to. */
  readonly broadcasts: BroadcastControl;
}

export interface BroadcastControl {
  /** How far it is. */
  get(id: string): Promise<ShownBroadcast | Problem>;
  /** Resolves when it is over. */
  ended(id: string): Promise<ShownBroadcast | Problem>;
  /** Sends no more until `resume`. */
  pause(id: string): Promise<ShownBroadcast | Problem>;
  /** Goes on. */
  resume(id: string): Promise<ShownBroadcast | Problem>;
  /** Ends it; what was sent stays. */
  cancel(id: string): Promise<ShownBroadcast | Problem>;
  /** At most a thousand after the number `after`, in order. */
  recipients(
    id: string,
    query?: { state?: RecipientState; after?: number },
  ): Promise<BroadcastRecipient[] | Problem>;
  /** Keeps a list of chats with their fields; it is read as fast as the store takes it. */
  saveAudience(
    name: string,
    members: Iterable<object> | AsyncIterable<object>,
  ): Promise<Audience | Problem>;
}

export function broadcastCalls(options: BroadcastOptions): BroadcastCalls {
  return {
    broadcast: async (order) =>
      valueProblem(order) ?? (await makeBroadcast(options, order, NO_HEADERS)),
    broadcasts: {
      get: (id) => findBroadcast(options, id),
      async ended(id) {
        await options.broadcasts.ended(id);
        return findBroadcast(options, id);
      },
      pause: (id) => steerBroadcast(options, id, 'paused'),
      resume: (id) => steerBroadcast(options, id, 'running'),
      cancel: (id) => steerBroadcast(options, id, 'cancelled'),
      async recipients(
        id,
        { state = null, after = 0 }: { state?: RecipientState | null; after?: number } = {},
      ) {
        const found = await options.broadcasts.recipients({ id, state, after, max: PAGE });
        if (found === null) return noBroadcast();
        return found.map((one) => showRecipient(options.tag, one));
      },
      async saveAudience(name, members) {
        const source = Readable.from(linesOf(members));
        const draft = await draftFrom(options, name, { source, format: 'ndjson' });
        if ('code' in draft) return draft;
        return showAudience((await draft.seal())!);
      },
    },
  };
}

async function* linesOf(members: Iterable<object> | AsyncIterable<object>) {
  for await (const member of members) yield Buffer.from(`${JSON.stringify(member)}\n`);
}
