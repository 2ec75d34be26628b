// What can be done with dead letters, as values: listed, grouped by cause, retried, discarded. A command by filter
// works in bounded steps: the answer says where the next one begins.

import { fullProblem, gone, invalid, moveProblem, readId } from '../../accept/problems.ts';
import { checkDeadCommand, checkDeadQuery, type DeadRequest } from '../../accept/schema.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { type AccountId, formatId } from '../../domain/ids.ts';
import { type Filter, SEARCH_LIMIT_MAX } from '../../ledger/ledger.ts';
import type { MoveOrder } from '../../road/road.ts';
import type { HttpParts } from '../context.ts';
import { readSearch } from '../query.ts';
import { showPage } from './view.ts';

export type Deed = 'retry' | 'discard';

type DeadPorts = Pick<HttpParts, 'tag' | 'ledger' | 'road' | 'clock' | 'settings'>;

/** Dead letters, newest first; `next` is the `cursor` of the next page. */
export type DeadPage = ReturnType<typeof showPage>;

/** What died, counted by account and reason. */
export interface DeadCauses {
  readonly groups: readonly {
    readonly account: AccountId;
    readonly reason: string | null;
    readonly count: number;
    readonly oldestAt: string;
    readonly newestAt: string;
    readonly example: string;
  }[];
}

/** What a step of a command did; `next` is the `cursor` of the next step, null after the last. */
export interface DeadHandled {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly {
    readonly id: string;
    readonly code: string;
    readonly detail: string;
  }[];
  readonly next: string | null;
}

// How many refusals of a step are told one by one.
const FAILED_SHOWN_MAX = 100;
// How many are moved at once: they share commits, and what else is asked meanwhile does not wait long behind them.
const TOGETHER_MAX = 100;

export async function listDead(
  { tag, ledger }: Pick<DeadPorts, 'tag' | 'ledger'>,
  query: unknown,
): Promise<DeadPage | DeadCauses | Problem> {
  if (!checkDeadQuery.Check(query)) {
    return invalid('invalid_query', troublesOf(checkDeadQuery, query));
  }
  const { group, ...rest } = query;
  const asked = readSearch(tag, { state: 'dead', ...rest });
  if ('code' in asked) return asked;
  const { filter, limit, before } = asked;
  if (group === undefined) {
    return showPage(tag, await ledger.search(filter, { limit, before }), asked);
  }
  const groups = await ledger.deadByCause(filter);
  return {
    groups: groups.map(({ account, reason, count, oldestAt, newestAt, example }) => ({
      account,
      reason,
      count,
      oldestAt: showTime(oldestAt),
      newestAt: showTime(newestAt),
      example: formatId(tag, example),
    })),
  };
}

export async function handleDead(
  options: DeadPorts,
  deed: Deed,
  command: unknown,
  by: string,
): Promise<DeadHandled | Problem> {
  if (!checkDeadCommand.Check(command)) {
    return invalid('invalid_message', troublesOf(checkDeadCommand, command));
  }
  const step = await lettersOf(options, command);
  if ('code' in step) return step;
  let done = 0;
  const failed: { id: string; code: string; detail: string }[] = [];
  // Oldest first: letters of one chat go out again in the order they came.
  for (let from = 0; from < step.letters.length; from += TOGETHER_MAX) {
    const part = step.letters.slice(from, from + TOGETHER_MAX);
    for (const [i, refusal] of (await doTo(options, deed, part, by)).entries()) {
      if (refusal === null) done += 1;
      else failed.push({ id: part[i]!.id, code: refusal.code, detail: refusal.detail });
    }
  }
  const shown = failed.slice(0, FAILED_SHOWN_MAX);
  return { done, failed: failed.length, failures: shown, next: step.next };
}

type Letter = { readonly id: string } & (
  | { readonly seq: number; readonly account: AccountId }
  | { readonly seq: Problem }
);

async function lettersOf(
  options: DeadPorts,
  body: DeadRequest,
): Promise<{ letters: Letter[]; next: string | null } | Problem> {
  const { ids, filter, cursor } = body;
  if ((ids === undefined) === (filter === undefined)) {
    return invalid('invalid_message', [{ path: '/', expected: 'either `ids` or `filter`' }]);
  }
  if (ids !== undefined) return lettersById(options, ids);
  const asked = readSearch(options.tag, {
    state: 'dead',
    ...filter,
    ...(cursor === undefined ? {} : { cursor }),
  });
  if ('code' in asked) return asked;
  // The cursor names the last letter of the step before.
  return lettersByFilter(options, asked.filter, asked.before ?? 0);
}

async function lettersById(options: DeadPorts, ids: readonly string[]) {
  const { batchMax } = options.settings;
  if (ids.length > batchMax) {
    return problem('batch_too_large', `${ids.length} ids; at most ${batchMax} fit.`);
  }
  const { tag, ledger } = options;
  const seqs = ids.map((id) => readId(tag, id));
  const known = await ledger.getMany(seqs.filter((seq) => typeof seq === 'number'));
  const accounts = new Map(known.map(({ seq, account }) => [seq, account]));
  const letters = ids.map((id, i): Letter => {
    const seq = seqs[i]!;
    if (typeof seq !== 'number') return { id, seq };
    const account = accounts.get(seq);
    return account === undefined ? { id, seq: gone() } : { id, seq, account };
  });
  letters.sort((a, b) => Number(a.seq) - Number(b.seq) || 0);
  return { letters, next: null };
}

// Oldest first over all steps: what was retried in a step before goes out before what is retried in the next.
async function lettersByFilter(options: DeadPorts, filter: Filter, after: number) {
  const { tag, ledger, settings } = options;
  const limit = Math.min(settings.batchMax, SEARCH_LIMIT_MAX);
  const found: Delivery[] = await ledger.search(filter, { limit, after });
  const next = found.length === limit ? formatId(tag, found.at(-1)!.seq) : null;
  const letters = found.map(({ id, seq, account }): Letter => ({ id, seq, account }));
  return { letters, next };
}

// Those of one account share commits; what is refused here has the place it had.
async function doTo(
  options: DeadPorts,
  deed: Deed,
  letters: readonly Letter[],
  by: string,
): Promise<(Problem | null)[]> {
  const refusals: (Problem | null)[] = letters.map(() => null);
  const orders = new Map<string, { index: number; order: MoveOrder }[]>();
  for (const [index, letter] of letters.entries()) {
    const order = orderFor(options, deed, letter, by);
    if ('code' in order) refusals[index] = order;
    else orders.set(order.account, [...(orders.get(order.account) ?? []), { index, order }]);
  }
  await Promise.all(
    Array.from(orders.values(), async (own) => {
      const moved = await options.road.moveTogether(own.map(({ order }) => order));
      for (const [i, { index }] of own.entries()) refusals[index] = moveProblem(moved[i]!);
    }),
  );
  return refusals;
}

function orderFor(
  { clock, settings, road }: DeadPorts,
  deed: Deed,
  letter: Letter,
  by: string,
): MoveOrder | Problem {
  if (!('account' in letter)) return letter.seq;
  const { seq, account } = letter;
  const full = deed === 'retry' ? road.fullFor(account, 0) : null;
  if (full !== null) return fullProblem(full);
  const queueMax = settings.queueMaxOf(account);
  const move: Pick<MoveOrder, 'to' | 'reason'> =
    deed === 'retry'
      ? { to: 'queued', reason: 'retried' }
      : { to: 'cancelled', reason: 'discarded' };
  return { ...move, account, seq, at: clock.now(), by, body: null, queueMax };
}
