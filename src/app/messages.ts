// Messages as the library has them: what the routes below /v1/messages and /v1/dead do, as calls.

import type { DeadRequest, DeadSearch } from '../accept/schema.ts';
import type { Problem } from '../domain/errors.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import type { HttpParts } from '../http/context.ts';
import {
  cancelMessage,
  explainMessage,
  findMessage,
  type MessageExplanation,
  type MessageStory,
  type MovedMessage,
} from '../http/messages/calls.ts';
import {
  type DeadCauses,
  type DeadHandled,
  type DeadPage,
  handleDead,
  listDead,
} from '../http/messages/letters.ts';

export type { MessageExplanation, MessageStory, MovedMessage } from '../http/messages/calls.ts';
export type { DeadCauses, DeadHandled, DeadPage } from '../http/messages/letters.ts';

/** Which dead letters: by account, chat, reason, time; `limit` of them, from `cursor` on. */
export interface DeadListQuery extends Omit<DeadSearch, 'group' | 'limit'> {
  readonly limit?: number;
}

/** Which dead letters to act on: by `ids`, or by `filter` in steps. */
export type DeadOrder = DeadRequest;

export interface MessageCalls {
  /** All that is known of a message, by the id of its receipt. */
  get(id: string): Promise<MessageStory | Problem>;
  /** Why a message has not gone out; of one that no longer waits, what it has waited for. */
  explain(id: string): Promise<MessageExplanation | Problem>;
  /**
   * Takes a message that waits out of the queue; one that is being sent is refused as
   * `illegal_move`.
   */
  cancel(id: string): Promise<MovedMessage | Problem>;
  /** What will not be tried again unless someone says so. */
  readonly dead: DeadCalls;
}

export interface DeadCalls {
  /** Dead letters, newest first. */
  list(query?: DeadListQuery): Promise<DeadPage | Problem>;
  /** Counted by account and reason. */
  causes(query?: DeadListQuery): Promise<DeadCauses | Problem>;
  /** Queues them again, oldest first; repeat with `next` as `cursor` until it is null. */
  retry(order: DeadOrder): Promise<DeadHandled | Problem>;
  /** Gives them up, likewise. */
  discard(order: DeadOrder): Promise<DeadHandled | Problem>;
}

export function messageCalls(options: HttpParts): MessageCalls {
  const by = HOLDERS.library;
  return {
    get: (id) => findMessage(options, id),
    explain: (id) => explainMessage(options, id),
    cancel: (id) => cancelMessage(options, id, by),
    dead: {
      // Without `group` it is a page, with it the causes.
      list: async (query = {}) => (await listDead(options, asTexts(query))) as DeadPage | Problem,
      causes: async (query = {}) =>
        (await listDead(options, { ...asTexts(query), group: 'cause' })) as DeadCauses | Problem,
      retry: (order) => handleDead(options, 'retry', order, by),
      discard: (order) => handleDead(options, 'discard', order, by),
    },
  };
}

// As a query over HTTP has it.
function asTexts({ limit, ...query }: DeadListQuery): DeadSearch {
  return limit === undefined ? query : { ...query, limit: String(limit) };
}
