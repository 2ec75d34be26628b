// Which index answers a search. The planner chooses it; what is done here is to give it one to choose, by asking for
// what is alive and what has ended apart, and to turn times into a range of numbers first, since deliveries lie nearly
// in the order of acceptance.

import type { State } from '../../../domain/delivery.ts';
import { parseId } from '../../../domain/ids.ts';
import {
  type DeliveryPage,
  type Filter,
  needleOf,
  SEARCH_LIMIT_MAX,
  TEXT_LOOKED_MAX,
} from '../../../ledger/ledger.ts';
import type { PostgresSql, SqlValue } from '../../../system/databases/postgres.ts';

interface Query {
  readonly sql: string;
  readonly params: SqlValue[];
}

interface SeqRange {
  // Inclusive and exclusive.
  readonly from: number;
  readonly before: number;
}

// Messages accepted together may be numbered out of step, nodes' clocks differ, and a clock may be set back.
const ACCEPTED_SLACK_MS = 60 * 60 * 1000;

const LIVE: readonly State[] = ['queued', 'sending'];
const ENDED = 'settled_at IS NOT NULL';
const ALIVE = 'settled_at IS NULL';

// A condition, with `?` for each of its values.
type Term = readonly [string, ...SqlValue[]];

// One query, or two whose answers do not overlap.
export function searches(
  tag: string,
  filter: Filter,
  range: SeqRange,
  { order, limit }: { order: 'ASC' | 'DESC'; limit: number },
): Query[] {
  const textFrom = filter.text === undefined || isLed(filter) ? 0 : range.before - TEXT_LOOKED_MAX;
  const bounds: Term = ['seq >= ? AND seq < ?', Math.max(range.from, textFrom), range.before];
  return leadsOf(filter).map((lead) => {
    const { where, params } = conditionOf([...lead, bounds, ...termsOf(tag, filter)]);
    return {
      sql: `SELECT seq FROM deliveries WHERE ${where} ORDER BY seq ${order} LIMIT ${limit}`,
      params,
    };
  });
}

export function deadGroups(tag: string, filter: Filter): Query {
  const { where, params } = conditionOf([[`state = 'dead'`], ...termsOf(tag, filter)]);
  return {
    sql: `SELECT account, coalesce(reason, '') AS reason, count(*) AS count,
      min(settled_at) AS "oldestAt", max(settled_at) AS "newestAt", max(seq) AS example
      FROM deliveries WHERE ${where} GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2
      LIMIT ${SEARCH_LIMIT_MAX}`,
    params,
  };
}

// Whether an index leads to few.
function isLed({ state, session, correlation, messageId, chat }: Filter): boolean {
  const isRare =
    state !== undefined && (LIVE.includes(state) || state === 'dead' || state === 'uncertain');
  return [session, correlation, messageId, chat].some((each) => each !== undefined) || isRare;
}

function leadsOf({ state, session, correlation, messageId, chat }: Filter): Term[][] {
  if (state !== undefined && LIVE.includes(state)) return [[[ALIVE]]];
  const isFound = [session, correlation, messageId].some((each) => each !== undefined);
  if (isFound || chat === undefined) return [[]];
  return state === undefined ? [[[ENDED]], [[ALIVE]]] : [[[ENDED]]];
}

function termsOf(tag: string, filter: Filter): Term[] {
  const { since, until, account, chat, session, state, correlation, messageId, reason, text } =
    filter;
  const terms: Term[] = [];
  if (account !== undefined) terms.push(['account = ?', account]);
  if (chat !== undefined) terms.push(['chat = ?', chat]);
  if (session !== undefined) terms.push(['session = ?', session]);
  // As the partial indexes say it, so that the planner knows them.
  if (state !== undefined) terms.push([`state = '${state}'`]);
  if (messageId !== undefined) terms.push(['message_id = ?', messageId]);
  if (reason !== undefined) terms.push(['reason = ?', reason]);
  if (since !== undefined) terms.push(['accepted_at >= ?', since]);
  if (until !== undefined) terms.push(['accepted_at < ?', until]);
  // Upper and lower case of ASCII letters alike, whatever the database's language.
  if (text !== undefined) {
    terms.push([`lower(body) LIKE ? ESCAPE '!'`, likeOf(lowerAscii(needleOf(text)))]);
  }
  if (correlation !== undefined) {
    const own = 'correlation IS NULL AND seq = ?';
    terms.push([`(correlation = ? OR ${own})`, correlation, parseId(tag, correlation)]);
  }
  return terms;
}

function conditionOf(terms: readonly Term[]): { where: string; params: SqlValue[] } {
  const params = terms.flatMap(([, ...values]) => values);
  let n = 0;
  const where = terms.map(([text]) => text.replaceAll('?', () => `$${++n}`)).join(' AND ');
  return { where, params };
}

function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function likeOf(needle: string): string {
  return `%${needle.replace(/[!%_]/g, '!$&')}%`;
}

const AT = 'SELECT seq, accepted_at AS at FROM deliveries WHERE seq >= $1 ORDER BY seq LIMIT 1';
const LAST = 'SELECT max(seq) AS seq FROM deliveries';

// Twenty look-ups by primary key instead of a walk over everything younger.
export async function seqRange(
  sql: Pick<PostgresSql, 'get'>,
  { since, until }: Filter,
  page: DeliveryPage,
): Promise<SeqRange> {
  const last = (await sql.get(LAST))!.seq;
  const end = last === null ? 1 : Number(last) + 1;
  const firstFrom = async (time: number) => {
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = await sql.get(AT, middle);
      if (row === null || Number(row.at) >= time) high = middle;
      else low = Number(row.seq) + 1;
    }
    return low;
  };
  const from = since === undefined ? 0 : await firstFrom(since - ACCEPTED_SLACK_MS);
  const youngest = until === undefined ? end : await firstFrom(until + ACCEPTED_SLACK_MS);
  if ('after' in page) return { from: Math.max(from, page.after + 1), before: youngest };
  return { from, before: Math.min(page.before ?? end, youngest) };
}
