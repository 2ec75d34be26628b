// Joins ingest with the gateway: what platforms can read becomes its readers, its events become log lines, and what it
// reads goes on to webhooks and chats.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../../config/config.ts';
import { type AccountId, platformOf } from '../../domain/ids.ts';
import type { HttpParts } from '../../http/context.ts';
import type { IngestDesk, NewReaderAccount } from '../../http/ingest/port.ts';
import { Forwarding } from '../../ingest/forwarding.ts';
import { Ingest, type IngestSettings, type ReaderPool } from '../../ingest/ingest.ts';
import { type LoginKind, Logins } from '../../ingest/login/logins.ts';
import { readerKey } from '../../ingest/readers.ts';
import type { ReaderKind } from '../../platforms/history.ts';
import type { IngestStore } from '../../store/ports/ingest.ts';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import type { Service } from '../../system/service.ts';
import { ingestLog } from '../../telemetry/log/ingest-log.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import type { Resources } from '../resources.ts';
import { openHandingOn } from './handing-on.ts';
import { drawLeaseToken, takeOverLeases } from './reader-lease.ts';
import { ReaderVault } from './reader-vault.ts';
import { accountFor, accountsNamed, type OfferedKind, sendingPool } from './sending-readers.ts';

export interface IngestPart extends Service {
  // undefined: it is switched off.
  readonly desk: IngestDesk | undefined;
  // An update of an account: it may tell of a post.
  observe(account: AccountId, update: unknown): Promise<void>;
}

// What the gateway's own accounts are told by the platform.
const UPDATES: ReaderKind = {
  kind: 'updates',
  isPushed: true,
  open: () => Promise.reject(new Error('its posts come by themselves')),
};

const PUSHED: ReaderPool = { kind: UPDATES, accounts: async () => null };
// Where nodes tell each other of changes.
const TOPIC = 'ingest';
const SOURCES_PER_PAGE = 500;

const OFF: IngestPart = {
  desk: undefined,
  observe: async () => {},
  start: async () => {},
  stop: async () => {},
};

// `options`: asked when a post goes into a chat, which is after the HTTP side was made.
export function openIngest(
  config: Config,
  resources: Resources,
  metrics: Pick<Metrics, 'samples'>,
  options: () => HttpParts,
): IngestPart {
  if (config.ingest === 'off') return OFF;
  const { clock, periodic, random, log, journal, platforms } = resources;
  const vault = openVault(resources);
  const offered = offeredBy(platforms);
  const token = drawLeaseToken();
  const onEvent = ingestLog(log, (id) => service.get(id)?.name ?? null);
  const service: Ingest = new Ingest({
    ...{ store: journal.ingest, clock, periodic, random, settings: settingsOf(config) },
    pools: [...offered.map((each) => poolOf(resources, each, vault, () => service)), PUSHED],
    ...readerOf(resources),
    token,
    publish: (word) => others?.publish(word),
    onEvent(event) {
      onEvent(event);
      if (event.kind === 'posts') forwarding.wake(event.source);
    },
  });
  let others: ReturnType<typeof followOthers> | null = null;
  const handingOn = openHandingOn(resources, options);
  const forwarding = new Forwarding({
    ...{ store: journal.ingest, clock, random },
    // One node of a fleet hands posts on, so that nobody gets them twice.
    sources: () => (resources.fleet?.isMaintainer === false ? [] : service.list()),
    hand: handingOn.hand,
    onFailure: (source, error) => log.warn({ source, err: error }, 'could not forward a post'),
  });
  metrics.samples(() => service.samples());
  const keep = async (account: NewReaderAccount) => {
    await vault.save(account);
    await service.loggedIn(account.kind, account.id);
  };
  const logins = new Logins({
    clock,
    newId: randomUUID,
    keep: (kind, { id, name, session }) => keep({ kind, id, name, session }),
  });
  const { secret: signingSecret } = handingOn;
  const named = accountsNamed(() => service);
  const parts = { resources, service, vault, offered, logins, keep, signingSecret, named };
  const unlisten = followAccounts(parts);
  return {
    desk: deskOf(parts),
    observe: (account, update) => observe(resources, service, account, update),
    async start() {
      await vault.load();
      if (config.databaseUrl === null) {
        const names = await leaseNames(offered, vault, journal.ingest);
        await takeOverLeases({ folder: config.data, store: journal.ingest, names, token });
      }
      await service.start();
      others = followOthers(resources, service, vault);
      await forwarding.start();
    },
    async stop(deadlineMs) {
      unlisten();
      others?.stop();
      logins.stop();
      await Promise.all([service.stop(deadlineMs), forwarding.stop(deadlineMs)]);
      await handingOn.close();
    },
  };
}

function offeredBy(platforms: Resources['platforms']): OfferedKind[] {
  return [...platforms.values()].flatMap((platform) =>
    (platform.history ?? []).map((kind) => ({ kind, platform })),
  );
}

function openVault(resources: Resources): ReaderVault {
  const { clock, log, journal, platforms, secret, secretPrevious } = resources;
  const platformOfKind = (name: string) =>
    offeredBy(platforms).find(({ kind }) => kind.kind === name)?.platform.name ?? null;
  return new ReaderVault({
    ...{ store: journal.ingest, clock, secret, secretPrevious },
    onUnreadable: (kind, account) =>
      log.warn(
        { platform: platformOfKind(kind), kind, account },
        'the session of a reader cannot be decrypted: it was encrypted with another secret',
      ),
  });
}

// As whom connections are held. Random, as the secret is: one process has an embedded store, so after a crash the next
// one goes on at once.
function readerOf({ fleet }: Resources) {
  if (fleet === null) return { node: hostname() };
  return { node: fleet.name, nodes: () => fleet.members.map(({ name }) => name) };
}

function poolOf(
  resources: Resources,
  { kind, platform }: OfferedKind,
  vault: ReaderVault,
  service: () => Ingest,
): ReaderPool {
  if (kind.readsWith !== undefined) return sendingPool(resources, { kind, platform }, service);
  return {
    kind,
    async accounts() {
      const kept = vault.of(kind.kind);
      if (kept.length > 0) return kept;
      return kind.logIn === undefined || kind.hasOwnAccount === true ? null : [];
    },
  };
}

// Of all readers there may be: without an account, with those of the vault, and with those that sources name.
async function leaseNames(
  offered: readonly OfferedKind[],
  vault: ReaderVault,
  store: IngestStore,
): Promise<string[]> {
  const names = offered.flatMap(({ kind: { kind } }) =>
    [null, ...vault.of(kind).map(({ id }) => id)].map((id) => readerKey(kind, id)),
  );
  const named = new Set<string>();
  for (let after = 0; ; ) {
    const page = await store.sources({ after, max: SOURCES_PER_PAGE });
    for (const { readerKind, settings } of page) {
      const { account = null } = JSON.parse(settings) as { account?: string | null };
      if (account !== null) named.add(readerKey(readerKind, account));
    }
    if (page.length < SOURCES_PER_PAGE) break;
    after = page.at(-1)!.id;
  }
  return [...new Set([...names, ...named])];
}

// An account that sends has another token, or is gone: what was opened with the old one is of no use.
function followAccounts({ resources, service, offered, named }: DeskParts): () => void {
  return resources.accounts.listen(({ id, kind: what }) => {
    if (what === 'paused' || what === 'refused') return;
    for (const { kind } of offered) {
      if (kind.readsWith === undefined || named().get(kind.kind)?.has(id) !== true) continue;
      void service
        .loggedIn(kind.kind, id)
        .catch((error: unknown) => resources.report('recovery', error, { account: id }));
    }
  });
}

// Of a fleet: sources, waits and sessions that other nodes have changed.
function followOthers({ fleet }: Resources, service: Ingest, vault: ReaderVault) {
  if (fleet === null) return null;
  return fleet.follow(TOPIC, async (word) => {
    const changed = await vault.load();
    for (const { kind, id } of changed) await service.sessionChanged(kind, id);
    await service.arrived(word);
  });
}

interface DeskParts {
  readonly resources: Resources;
  readonly service: Ingest;
  readonly vault: ReaderVault;
  readonly offered: readonly OfferedKind[];
  readonly logins: Logins;
  readonly keep: (account: NewReaderAccount) => Promise<void>;
  readonly signingSecret: string;
  // Accounts that sources name, by their kind.
  readonly named: () => ReadonlyMap<string, ReadonlySet<string>>;
}

function deskOf(parts: DeskParts): IngestDesk {
  const { resources, service, vault, offered, logins, keep, signingSecret, named } = parts;
  const kinds = offered.map(({ kind }) => kind);
  const open = kinds.filter((kind): kind is LoginKind & ReaderKind => kind.logIn !== undefined);
  const sending = offered.filter(({ kind }) => kind.readsWith !== undefined);
  return {
    service,
    kinds: [...kinds, UPDATES].map(({ kind }) => kind),
    sending: sending.map(({ kind, platform }) => ({
      ...{ kind: kind.kind, platform: platform.name, title: kind.title ?? kind.kind },
      canRead: (account) => accountFor(resources, { kind, platform }, account) !== null,
    })),
    readsWith: (account) => [...named().values()].some((accounts) => accounts.has(account)),
    signingSecret,
    async accounts() {
      const nameOf = (kind: string, id: string | null) =>
        vault.of(kind).find((each) => each.id === id)?.name ?? null;
      const all = await service.accounts();
      return all.map((each) => ({ ...each, name: nameOf(each.readerKind, each.account) }));
    },
    async saveAccount(account) {
      const isOpen = open.some(({ kind }) => kind === account.kind);
      if (isOpen) await keep(account);
      return isOpen;
    },
    async removeAccount(kind, id) {
      const isKept = await vault.remove(kind, id);
      if (isKept) await service.loggedIn(kind, id);
      return isKept;
    },
    logins: {
      kinds: open.map(({ kind }) => kind),
      async begin(kind, phone) {
        const found = open.find((each) => each.kind === kind);
        if (found === undefined) throw new Error(`nobody logs in to ${kind}`);
        return logins.begin(found, phone);
      },
      answer: (id, question, text) => logins.answer(id, question, text),
      end: (id) => logins.end(id),
    },
  };
}

// Where the store cannot be written the platform is not told that the update was taken, and tells it again. Any other
// fault is ours: the gap is seen by the next post, and the update goes its way.
async function observe(
  resources: Resources,
  service: Ingest,
  account: AccountId,
  update: unknown,
): Promise<void> {
  try {
    const pushed = resources.platforms.get(platformOf(account))?.updates?.postIn?.(update) ?? null;
    if (pushed !== null) await service.push(account, pushed);
  } catch (error) {
    if (error instanceof JournalUnavailable) throw error;
    resources.report('update', error, { account });
  }
}

function settingsOf(config: Config): IngestSettings {
  return {
    pace: config.ingestPace,
    intervalMs: config.ingestIntervalS * 1000,
    callsPerHour: config.ingestCallsPerHour,
    everyMsMin: config.ingestEverySMin * 1000,
    everyMsMax: config.ingestEverySMax * 1000,
    concurrencyMax: config.ingestConcurrencyMax,
    retriesMax: config.ingestRetriesMax,
    lpaMaxAgeHours: config.lpaMaxAgeHours,
    isIncrementalOn: config.ingest === 'on',
  };
}
