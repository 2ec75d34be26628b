// What was delivered in a span of time, as a recording: read from the deliveries and attempts that are kept anyway, on
// a connection of its own, also while the gateway runs. Who is hidden by a keyed hash whose key is drawn for this one
// recording and thrown away: ids are short numbers, and a plain hash of one is found by trying them all.

import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { laneOf } from '../../../domain/delivery.ts';
import { PRIORITIES } from '../../../domain/priority.ts';
import type { RecordedAttempt, RecordedDelivery } from '../../../domain/recording.ts';
import {
  type Database,
  openDatabase,
  type SqlRow,
  storeFileOf,
} from '../../../system/databases/sqlite.ts';
import { JournalOpenError } from '../../store-error.ts';
import { SCHEMA_VERSION, schemaVersionOf } from '../schema/schema.ts';
import { explained } from './open.ts';

export interface RecordedSpan {
  // Accepted at or after / before, milliseconds since the epoch.
  readonly since: number;
  readonly until: number;
}

const BUSY_MS_MAX = 5_000;
const KEY_BYTES = 32;
const PSEUDONYM_DIGITS = 12;

// By the primary key, which is the order of acceptance: a walk over all that is kept.
const DELIVERIES = `SELECT seq, platform, account, chat, thread, session, slot, method, family, budget, priority, cost,
  coalesce(length(CAST(body AS BLOB)), 0) AS bytes, live, final, enter_at AS enterAt, expires_at AS expiresAt,
  accepted_at AS acceptedAt, state, settled_at AS settledAt
  FROM deliveries WHERE seq > 0 AND accepted_at >= ? AND accepted_at < ? ORDER BY seq`;
const ATTEMPTS = `SELECT started_at AS startedAt, ended_at AS endedAt, outcome FROM attempts
  WHERE seq = ? ORDER BY no`;

// Those that the store still keeps, in the order of acceptance. Throws JournalOpenError, before any of them is read.
export function recordDeliveries(dir: string, span: RecordedSpan): Generator<RecordedDelivery> {
  return deliveriesOf(openToRead(dir), span);
}

function openToRead(dir: string): Database {
  const file = storeFileOf(dir);
  if (!existsSync(file)) throw new JournalOpenError('missing', `there is no store in ${dir}`);
  let db: Database | undefined;
  try {
    db = openDatabase(file, { readOnly: true, busyMsMax: BUSY_MS_MAX });
    refuseOlder(db, dir);
    return db;
  } catch (error) {
    db?.close();
    throw explained(error, dir);
  }
}

// Only a gateway brings a store up to date.
function refuseOlder(db: Database, dir: string): void {
  if (schemaVersionOf(db) === SCHEMA_VERSION) return;
  const text = `the store in ${dir} is of an older Sluice: start this one on it, and record then`;
  throw new JournalOpenError('older_schema', text);
}

function* deliveriesOf(db: Database, span: RecordedSpan): Generator<RecordedDelivery> {
  try {
    const attempts = db.prepare(ATTEMPTS);
    const hide = pseudonyms();
    for (const row of db.prepare(DELIVERIES).iterate(span.since, span.until)) {
      const own = attempts.all(row.seq!).map((each) => attemptOf(each, span.since));
      yield deliveryOf(row, own, span.since, hide);
    }
  } finally {
    db.close();
  }
}

type Hide = (kind: string, id: string) => string;

function pseudonyms(): Hide {
  const key = randomBytes(KEY_BYTES);
  const known = new Map<string, string>();
  return (kind, id) => {
    const word = JSON.stringify([kind, id]);
    let hidden = known.get(word);
    if (hidden === undefined) {
      hidden = createHmac('sha256', key).update(word).digest('hex').slice(0, PSEUDONYM_DIGITS);
      known.set(word, hidden);
    }
    return hidden;
  };
}

function deliveryOf(
  row: SqlRow,
  attempts: readonly RecordedAttempt[],
  since: number,
  hide: Hide,
): RecordedDelivery {
  const told = row as unknown as Omit<RecordedDelivery, 'attempts'> & {
    readonly thread: string | null;
    readonly session: string | null;
    readonly enterAt: number;
    readonly acceptedAt: number;
    readonly settledAt: number | null;
  };
  const { platform, account, chat, slot, method, family, budget, cost, bytes, state } = told;
  const lane = laneOf(told);
  const isLater = told.enterAt > told.acceptedAt;
  return {
    at: sinceThen(told.acceptedAt, since),
    platform,
    account: hide('account', account),
    chat: `${/^[-@]/.test(chat) ? '-' : ''}${hide('chat', `${account} ${chat}`)}`,
    lane: lane === '' ? '' : hide('lane', `${account} ${chat} ${lane}`),
    slot: slot === null ? null : hide('slot', `${account} ${slot}`),
    ...{ method, family, budget, cost, bytes, state, attempts },
    priority: PRIORITIES[Number(row.priority)]!,
    live: row.live === 1,
    final: row.final === 1,
    notBefore: isLater ? sinceThen(told.enterAt, since) : 0,
    expiresAt: told.expiresAt === 0 ? 0 : sinceThen(told.expiresAt, since),
    endedAt: told.settledAt === null ? null : sinceThen(told.settledAt, since),
  };
}

function attemptOf(row: SqlRow, since: number): RecordedAttempt {
  const { startedAt, endedAt, outcome } = row as unknown as {
    startedAt: number;
    endedAt: number | null;
    outcome: RecordedAttempt['outcome'];
  };
  const tookMs = endedAt === null ? null : Math.round(endedAt - startedAt);
  return { at: sinceThen(startedAt, since), tookMs, outcome };
}

function sinceThen(at: number, since: number): number {
  return Math.round(at - since);
}
