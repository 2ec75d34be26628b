// Whether the promises held over a load: what the simulator saw, compared with what callers were told and with what the
// records say. Nothing of it is asked of the parts under trial but their records.

import { SCHEMA } from '../../src/store/postgres/schema/schema.ts';
import { PostgresConnection } from '../../src/system/databases/postgres.ts';
import type { FleetCall } from '../process/fleet.ts';
import { aMoment } from '../process/look.ts';
import { accountOf, type FleetLoad, tokenOf } from './load.ts';

export interface Verdict {
  readonly accepted: number;
  readonly calls: number;
  // Sent more than once, all of them marked as in doubt.
  readonly doubled: number;
  readonly refused: number;
  readonly acceptMsMax: number;
  // What does not hold, in words; none: all does.
  readonly faults: readonly string[];
}

type Records = readonly Record<string, unknown>[];

// Of one kind; the rest is of the same.
const SHOWN_MAX = 5;

export async function judge(load: FleetLoad, databaseUrl: string): Promise<Verdict> {
  const all = await settledRecords(load);
  // One that a node spilled while it was not known whether the store had it stands beside what it was found to be.
  const records = all.filter(({ state }) => state !== 'superseded');
  const { calls } = load;
  const late = lateCopies(load);
  for (const call of late) load.fleet.late.add(call);
  const faults = [
    ...limitedOnes(calls),
    ...lostOnes(load, records),
    ...unmarkedOnes(calls, records),
    ...wokenOnes(late),
    ...disorder(calls.filter((call) => !late.has(call))),
    ...(await strangers(load, databaseUrl)),
  ];
  return {
    accepted: load.accepted.length,
    calls: calls.length,
    doubled: calls.length - load.sent.size,
    refused: load.refused.length,
    acceptMsMax: load.acceptMsMax,
    faults,
  };
}

// The simulator sees a call before its answer is settled.
async function settledRecords({ name, fleet }: FleetLoad): Promise<Records> {
  for (;;) {
    const all = await fleet.nodes[0]!.records();
    const own = all.filter(({ correlation }) => String(correlation).startsWith(`${name}:`));
    if (own.every(({ state }) => state !== 'sending' && state !== 'queued')) return own;
    await aMoment();
  }
}

function limitedOnes(calls: readonly FleetCall[]): string[] {
  return shown(
    calls.filter(({ cause }) => cause !== null),
    ({ text, cause }) => `the platform refused ${text}: ${cause}`,
  );
}

function lostOnes({ accepted }: FleetLoad, records: Records): string[] {
  const known = new Map(records.map((each) => [each.correlation, each]));
  const lost = shown(
    accepted.filter((text) => known.get(text)?.state !== 'sent'),
    (text) => `${text} was accepted and is ${known.get(text)?.state ?? 'gone'}`,
  );
  const twice = records.length === known.size ? [] : ['some messages have more than one record'];
  const owed = new Set(accepted);
  const unasked = shown(
    records.filter(({ correlation }) => !owed.has(String(correlation))),
    ({ correlation }) => `${correlation} has a record that nobody was told of`,
  );
  return [...lost, ...twice, ...unasked];
}

function unmarkedOnes(calls: readonly FleetCall[], records: Records): string[] {
  const copies = Map.groupBy(calls, ({ text }) => text);
  return shown(
    records.filter(({ correlation, doubts }) => {
      const count = copies.get(String(correlation))?.length ?? 0;
      return count === 0 || Number(doubts) < count - 1;
    }),
    ({ correlation, doubts }) =>
      `${correlation} was sent ${copies.get(String(correlation))?.length ?? 0} times with ${doubts} doubts`,
  );
}

// What a node was about to say when it was frozen, and said when it went on: another had sent it meanwhile. No lease
// holds a call back that is already decided.
function lateCopies({ calls, frozen }: FleetLoad): ReadonlySet<FleetCall> {
  const copies = Map.groupBy(calls, ({ text }) => text);
  const isLate = (call: FleetCall) => {
    const [first] = copies.get(call.text)!;
    return frozen.has(call.node) && !frozen.has(first!.node);
  };
  return new Set(calls.filter(isLate));
}

// One of each chat was under way; more would be a node that does not know what it has lost.
function wokenOnes(late: ReadonlySet<FleetCall>): string[] {
  return shown(
    [...Map.groupBy(late, chatOf)].filter(([, own]) => own.length > 1),
    ([chat, own]) =>
      `a node that was frozen went on in chat ${chat}: ${own.map(placeOf).join(' ')}`,
  );
}

function disorder(calls: readonly FleetCall[]): string[] {
  const chats = Map.groupBy(calls, chatOf);
  return shown(
    [...chats].filter(([, own]) =>
      own.some((call, i) => i > 0 && placeOf(own[i - 1]!) > placeOf(call)),
    ),
    ([chat, own]) => `chat ${chat} is out of order: ${own.map(placeOf).join(' ')}`,
  );
}

const chatOf = ({ text }: FleetCall) => text.split(':').slice(1, 3).join(':');
const placeOf = ({ text }: FleetCall) => Number(text.split(':')[3]);

// Two that pace one account take turns; one sender follows another only with a new epoch.
async function strangers(load: FleetLoad, url: string): Promise<string[]> {
  const sql = new PostgresConnection({ url, name: 'verdict', schema: SCHEMA });
  const rows = await sql.all('SELECT account, epoch FROM owners');
  await sql.close();
  const epochs = new Map(rows.map(({ account, epoch }) => [account, Number(epoch)]));
  // Of all that was ever sent: epochs are counted from the beginning.
  const inTime = load.fleet.calls.filter((call) => !load.fleet.late.has(call));
  const byToken = Map.groupBy(inTime, ({ token }) => token);
  const accounts = Array.from({ length: load.size.accounts }, (_, a) => a);
  return shown(
    accounts.filter(
      (a) => changesOf(byToken.get(tokenOf(a)) ?? []) >= (epochs.get(accountOf(a)) ?? 0),
    ),
    (a) => `account ${a} has changed hands oftener than its ownership`,
  );
}

function changesOf(calls: readonly FleetCall[]): number {
  return calls.filter(({ node }, i) => i > 0 && calls[i - 1]!.node !== node).length;
}

function shown<T>(found: readonly T[], say: (one: T) => string): string[] {
  const said = found.slice(0, SHOWN_MAX).map(say);
  const rest = found.length - said.length;
  return rest > 0 ? [...said, `and ${rest} more like it`] : said;
}

// How long any account was silent after that moment, at most.
export function longestSilence(load: FleetLoad, since: number): number {
  const fresh = load.calls.filter(({ arrivedAt }) => arrivedAt >= since);
  const byAccount = Map.groupBy(fresh, ({ text }) => text.split(':')[1]);
  const silences = Array.from(byAccount.values(), (calls) => {
    const times = [since, ...calls.map(({ arrivedAt }) => arrivedAt)];
    return Math.round(Math.max(...times.slice(1).map((at, i) => at - times[i]!)));
  });
  return Math.max(...silences);
}
