// What the journal reads back: limits, accounts, recent calls, what is alive. Asked at start and by hand, never per
// message.

import type { Queued } from '../../domain/delivery.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { PostgresRow, PostgresSql } from '../../system/databases/postgres.ts';
import type { StoredAccount } from '../ports/accounts.ts';
import type { DeliveryPast } from '../ports/delivery.ts';
import type { ChangeTopic, SecretPrint, StoredOwner } from '../ports/fleet.ts';
import type { StoredLimit } from '../ports/limits.ts';
import { FIRST_EPOCH, NOT_OWNER, type Owner } from '../ports/ownership.ts';
import type { Recovered, StoredCall } from '../ports/recovery.ts';
import { JournalOpenError } from '../store-error.ts';
import { queuedOfRow } from './commands.ts';
import { openError } from './group-commit.ts';

const PAGE_ROWS_MAX = 16_384;

export const READS_SQL = {
  epochs: 'SELECT account, epoch FROM owners WHERE account = ANY ($1::text[])',
  livePage: `SELECT seq, account, chat, session, thread, user_id AS "user", method, family, budget,
      priority, cost, live, final, slot, enter_at AS "enterAt", rank, due_at AS "dueAt",
      expires_at AS "expiresAt", octet_length(body) AS bytes, correlation,
      CASE WHEN state = 'sending' THEN attempts END AS n,
      json_build_object('acceptedAt', accepted_at, 'failures', failures, 'doubts', doubts,
        'cures', cures) AS past
    FROM deliveries WHERE settled_at IS NULL AND account = ANY ($1::text[]) AND seq > $2
    ORDER BY seq LIMIT ${PAGE_ROWS_MAX}`,
  // From node to node, of which there are few, to the accounts of those that are not named. What was removed, or gave
  // way to others, is nobody's, and needs nobody until something waits for it.
  ownersBut: `WITH RECURSIVE held(node) AS (
      (SELECT node FROM owners WHERE node IS NOT NULL ORDER BY node LIMIT 1)
      UNION ALL SELECT (SELECT node FROM owners WHERE node > h.node ORDER BY node LIMIT 1)
        FROM held h WHERE h.node IS NOT NULL)
    SELECT o.account, o.node, o.epoch FROM held h
      CROSS JOIN LATERAL (SELECT * FROM owners WHERE node = h.node OFFSET 0) o
      WHERE h.node <> ALL ($1::text[])
    UNION ALL SELECT account, node, epoch FROM owners o WHERE node IS NULL
      AND (EXISTS (SELECT FROM accounts a WHERE a.id = o.account OFFSET 0)
        OR EXISTS (SELECT FROM deliveries d WHERE d.settled_at IS NULL AND d.account = o.account OFFSET 0))
    ORDER BY account`,
  ownerOf: 'SELECT account, node, epoch FROM owners WHERE account = $1',
  // From the few of late to their deliveries, whatever the planner knows of either; account by account, so that each is
  // a range of the index.
  calls: `SELECT d.account, coalesce(a.chat, d.chat) AS chat, d.user_id AS "user", d.family, d.budget,
      d.live, d.cost, d.message_id AS "messageId", a.started_at AS "startedAt",
      a.ended_at AS "endedAt", a.outcome
    FROM unnest($2::text[]) AS asked(account)
      CROSS JOIN LATERAL (SELECT * FROM attempts t
        WHERE t.account = asked.account AND t.started_at >= $1 OFFSET 0) a
      CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE seq = a.seq OFFSET 0) d
    ORDER BY a.no`,
  limits: `SELECT account, key, value, updated_at AS "updatedAt" FROM limits
    WHERE account = ANY ($1::text[]) ORDER BY account, key`,
  // What is under no account is of the store itself.
  known: `SELECT account FROM tallies WHERE account > '' AND count > 0
    UNION SELECT account FROM limits WHERE account > '' ORDER BY account`,
  accounts: `SELECT id, platform, sealed, paused, refused, created_at AS "createdAt"
    FROM accounts ORDER BY id`,
  changes: 'SELECT no FROM changes WHERE topic = $1',
  saveAccount: `INSERT INTO accounts (id, platform, sealed, paused, refused, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET platform = excluded.platform,
    sealed = excluded.sealed, paused = excluded.paused, refused = excluded.refused,
    created_at = excluded.created_at`,
  dropAccount: 'DELETE FROM accounts WHERE id = $1',
  agree: `INSERT INTO meta AS m (name, value) VALUES ('secret', $1)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value IN ($1, $2)`,
} as const;

export async function limitsOf(sql: PostgresSql, accounts: readonly string[]) {
  return (await sql.all(READS_SQL.limits, accounts)) as unknown as StoredLimit[];
}

export async function knownAccounts(sql: PostgresSql): Promise<AccountId[]> {
  return (await sql.all(READS_SQL.known)).map(accountOf);
}

export async function ownersBut(
  sql: PostgresSql,
  nodes: readonly string[],
): Promise<StoredOwner[]> {
  return (await sql.all(READS_SQL.ownersBut, nodes)).map(ownerRowOf);
}

export async function ownerOf(sql: PostgresSql, account: AccountId): Promise<StoredOwner | null> {
  const [row] = await sql.all(READS_SQL.ownerOf, account);
  return row === undefined ? null : ownerRowOf(row);
}

// Nothing but accounts is written into these columns.
function accountOf({ account }: PostgresRow): AccountId {
  return account as AccountId;
}

function ownerRowOf(row: PostgresRow): StoredOwner {
  const { node, epoch } = row;
  return {
    account: accountOf(row),
    node: node === null ? null : String(node),
    epoch: Number(epoch),
  };
}

export async function callsSince(sql: PostgresSql, accounts: readonly string[], since: number) {
  return (await sql.all(READS_SQL.calls, since, accounts)) as unknown as StoredCall[];
}

export async function accountsOf(sql: PostgresSql): Promise<StoredAccount[]> {
  return (await sql.all(READS_SQL.accounts)) as unknown as StoredAccount[];
}

export async function changesOf(sql: PostgresSql, topic: ChangeTopic): Promise<number> {
  return Number((await sql.get(READS_SQL.changes, topic))?.no);
}

export async function saveAccount(sql: PostgresSql, account: StoredAccount): Promise<void> {
  const { id, platform, sealed, paused, refused, createdAt } = account;
  await sql.run(READS_SQL.saveAccount, id, platform, sealed, paused, refused, createdAt);
}

// Rejects with JournalOpenError.
export async function agreeOn(sql: PostgresSql, { own, former }: SecretPrint): Promise<void> {
  const saving = sql.run(READS_SQL.agree, own, former ?? own);
  const saved = await saving.catch((error: unknown) => Promise.reject(openError(error)));
  if (saved > 0) return;
  throw new JournalOpenError(
    'other_secret',
    'SLUICE_SECRET is not that of the other nodes on this database; if it is to be replaced, stop them all and start ' +
      'this one with SLUICE_SECRET_PREVIOUS set to the one before',
  );
}

type LiveRow = Parameters<typeof queuedOfRow>[0] & {
  readonly n: number | null;
  readonly past: DeliveryPast;
};

// Pages are asked for one ahead, so that the server reads while this side builds.
export async function* recover(
  sql: PostgresSql,
  owners: readonly Owner[],
): AsyncGenerator<readonly Recovered[]> {
  const accounts = owners.map(({ account }) => account);
  const raised = new Map((await sql.all(READS_SQL.epochs, accounts)).map(epochOf));
  const own: string[] = [];
  for (const { account, epoch } of owners) {
    if (epoch >= (raised.get(account) ?? FIRST_EPOCH)) own.push(account);
    else yield [{ ...NOT_OWNER, account }];
  }
  const pageAfter = (seq: number) => sql.all(READS_SQL.livePage, own, seq);
  let next: Promise<PostgresRow[]> | null = own.length === 0 ? null : pageAfter(0);
  while (next !== null) {
    const page = (await next) as unknown as LiveRow[];
    next = page.length < PAGE_ROWS_MAX ? null : pageAfter(page.at(-1)!.seq);
    yield page.map(recovered);
  }
}

function epochOf({ account, epoch }: PostgresRow): [string, number] {
  return [String(account), Number(epoch)];
}

function recovered({ n, past, ...row }: LiveRow): Recovered {
  const queued: Queued = queuedOfRow(row);
  return n === null ? { kind: 'queued', queued } : { kind: 'sending', queued, n, past };
}
