// Which index answers a search. The store keeps few indexes, so that accepting and settling stay
// cheap: a search is led by the most telling one its filter allows, and checks the rest row by row.
// Times are turned into a range of numbers first, since deliveries lie in the order of acceptance.

import type { State } from '../../../domain/delivery.ts';
import { parseId } from '../../../domain/ids.ts';
import {
  type DeliveryPage,
  type Filter,
  needleOf,
  TEXT_LOOKED_MAX,
} from '../../../ledger/ledger.ts';
import type { Database, SqlInput } from '../../../system/databases/sqlite.ts';

export interface Query {
  readonly sql: string;
  readonly params: SqlInput[];
}

interface Lead {
  readonly index: string;
  readonly where: string;
  readonly params: SqlInput[];
}

export interface SeqRange {
  // Inclusive and exclusive.
  readonly from: number;
  readonly before: number;
}

// Messages accepted together may be numbered out of step, and a clock may be set back at a restart.
const ACCEPTED_SLACK_MS = 60 * 60 * 1000;

const LIVE: readonly State[] = ['queued', 'sending'];
const STUCK: readonly State[] = ['dead', 'uncertain'];

const ALL: Lead = { index: 'NOT INDEXED', where: 'true', params: [] };
const LIVE_ONLY: Lead = {
  index: 'INDEXED BY deliveries_live',
  where: 'settled_at IS NULL',
  params: [],
};

const MESSAGE = (id: string): Lead => ({
  index: 'INDEXED BY deliveries_message',
  where: 'message_id = ?',
  params: [id],
});

// It is found by its own id.
const UNNAMED = (seq: number): Lead => ({
  index: 'NOT INDEXED',
  where: 'seq = ? AND correlation IS NULL',
  params: [seq],
});

// One query, or two whose answers do not overlap.
export function searchQueries(
  tag: string,
  filter: Filter,
  range: SeqRange,
  { order, limit }: { order: 'ASC' | 'DESC'; limit: number },
): Query[] {
  const residue = residueOf(tag, filter);
  const textFrom = filter.text === undefined ? 0 : range.before - TEXT_LOOKED_MAX;
  return leadsOf(tag, filter).map((lead) => ({
    sql: `SELECT seq FROM deliveries ${lead.index} WHERE ${lead.where} AND seq >= ? AND seq < ?
      ${residue.where} ORDER BY seq ${order} LIMIT ?`,
    params: [
      ...lead.params,
      lead === ALL ? Math.max(range.from, textFrom) : range.from,
      range.before,
      ...residue.params,
      limit,
    ],
  }));
}

function leadsOf(tag: string, filter: Filter): Lead[] {
  const { state, session, correlation, messageId, chat } = filter;
  if (correlation !== undefined) {
    const named = indexed('correlation', correlation);
    const seq = parseId(tag, correlation);
    return seq === null ? [named] : [named, UNNAMED(seq)];
  }
  if (session !== undefined) return [indexed('session', session)];
  if (messageId !== undefined) return [MESSAGE(messageId)];
  if (state !== undefined && STUCK.includes(state)) {
    return [{ index: 'INDEXED BY deliveries_stuck', where: `state = '${state}'`, params: [] }];
  }
  if (state !== undefined && LIVE.includes(state)) return [LIVE_ONLY];
  if (chat === undefined) return [ALL];
  const ended: Lead = {
    index: 'INDEXED BY deliveries_ended_chat',
    where: 'chat = ? AND settled_at IS NOT NULL',
    params: [chat],
  };
  return state === undefined ? [ended, LIVE_ONLY] : [ended];
}

function indexed(column: 'session' | 'correlation', value: string): Lead {
  return { index: `INDEXED BY deliveries_${column}`, where: `${column} = ?`, params: [value] };
}

export function residueOf(tag: string, filter: Filter): { where: string; params: SqlInput[] } {
  const { since, until, account, chat, session, state, correlation, messageId, reason, text } =
    filter;
  const terms: [string, SqlInput | undefined][] = [
    ['account = ?', account],
    ['chat = ?', chat],
    ['session = ?', session],
    ['state = ?', state],
    ['message_id = ?', messageId],
    ['reason = ?', reason],
    ['accepted_at >= ?', since],
    ['accepted_at < ?', until],
    ["body LIKE ? ESCAPE '!'", text === undefined ? undefined : likeOf(needleOf(text))],
  ];
  const given = terms.filter((term): term is [string, SqlInput] => term[1] !== undefined);
  const where = given.map(([term]) => `AND ${term}`).join(' ');
  const params = given.map(([, value]) => value);
  if (correlation === undefined) return { where, params };
  return {
    where: `${where} AND (correlation = ? OR correlation IS NULL AND seq = ?)`,
    params: [...params, correlation, parseId(tag, correlation)],
  };
}

function likeOf(needle: string): string {
  return `%${needle.replace(/[!%_]/g, '!$&')}%`;
}

// Twenty look-ups by primary key instead of a walk over everything younger.
export function seqRangeOf(db: Database, filter: Filter, page: DeliveryPage): SeqRange {
  const at = db.prepare('SELECT seq, accepted_at AS at FROM deliveries WHERE seq >= ? LIMIT 1');
  const last = db.prepare('SELECT max(seq) AS seq FROM deliveries').get()?.seq;
  const end = last === null ? 1 : Number(last) + 1;
  const firstAcceptedFrom = (time: number) => {
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = at.get(middle);
      if (row === undefined || Number(row.at) >= time) high = middle;
      else low = Number(row.seq) + 1;
    }
    return low;
  };
  const { since, until } = filter;
  const from = since === undefined ? 0 : firstAcceptedFrom(since - ACCEPTED_SLACK_MS);
  const youngest = until === undefined ? end : firstAcceptedFrom(until + ACCEPTED_SLACK_MS);
  if ('after' in page) return { from: Math.max(from, page.after + 1), before: youngest };
  return { from, before: Math.min(page.before ?? end, youngest) };
}
