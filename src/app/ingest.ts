// Joins ingest with the gateway: what platforms can read becomes its readers, its events become log lines, and what it
// reads goes on to webhooks and chats.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import type { IntakeOptions } from '../http/context.ts';
import type { IngestDesk, NewReaderAccount } from '../http/ingest/port.ts';
import { Forwarding } from '../ingest/forwarding.ts';
import { Ingest, type IngestSettings, type ReaderPool } from '../ingest/ingest.ts';
import { type LoginKind, Logins } from '../ingest/login/logins.ts';
import { readerKey } from '../ingest/readers.ts';
import type { ReaderKind } from '../platforms/history.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Service } from '../system/service.ts';
import { ingestLog } from '../telemetry/log/ingest-log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { openHandingOn } from './handing-on.ts';
import { drawLeaseToken, takeOverLeases } from './reader-lease.ts';
import { ReaderVault } from './reader-vault.ts';
import type { Resources } from './resources.ts';

export interface IngestPart extends Service {
  // undefined: it is switched off.
  readonly desk: IngestDesk | undefined;
  // An update of an account: it may tell of a post.
  observe(account: string, update: unknown): Promise<void>;
}

// What the gateway's own accounts are told by the platform.
const UPDATES: ReaderKind = {
  kind: 'updates',
  isPushed: true,
  open: () => Promise.reject(new Error('its posts come by themselves')),
};

const OFF: IngestPart = {
  desk: undefined,
  observe: async () => {},
  start: async () => {},
  stop: async () => {},
};

// `options`: asked when a post goes into a chat, which is after intake was made.
export function openIngest(
  config: Config,
  resources: Resources,
  metrics: Pick<Metrics, 'samples'>,
  options: () => IntakeOptions,
): IngestPart {
  if (config.ingest === 'off') return OFF;
  const { clock, random, log, journal, secret, secretPrevious, platforms } = resources;
  const vault = new ReaderVault({
    ...{ store: journal.ingest, clock, secret, secretPrevious },
    onUnreadable: (kind, account) =>
      log.warn({ kind, account }, 'the session of a reader was sealed with another secret'),
  });
  const kinds = [...platforms.values()].flatMap(({ history = [] }) => history);
  const token = drawLeaseToken();
  const onEvent = ingestLog(log, (id) => service.get(id)?.name ?? null);
  const service: Ingest = new Ingest({
    ...{ store: journal.ingest, clock, random, settings: settingsOf(config) },
    pools: [...kinds, UPDATES].map((kind) => poolOf(kind, vault)),
    ...readerOf(resources),
    token,
    onEvent(event) {
      onEvent(event);
      if (event.kind === 'posts') forwarding.wake(event.source);
    },
  });
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
  return {
    desk: deskOf({ service, vault, kinds: [...kinds, UPDATES], logins, keep, signingSecret }),
    observe: (account, update) => observe(resources, service, account, update),
    async start() {
      await vault.load();
      if (config.databaseUrl === null) {
        const names = kinds.flatMap(({ kind }) => leaseNames(kind, vault));
        await takeOverLeases({ folder: config.data, store: journal.ingest, names, token });
      }
      await service.start();
      await forwarding.start();
    },
    async stop(deadlineMs) {
      logins.stop();
      await Promise.all([service.stop(deadlineMs), forwarding.stop(deadlineMs)]);
      await handingOn.close();
    },
  };
}

// As whom connections are held. Random, as the secret is: one process has an embedded store, so after a crash the next
// one goes on at once.
function readerOf({ fleet }: Resources) {
  if (fleet === null) return { node: hostname() };
  return { node: fleet.name, nodes: () => fleet.members.map(({ name }) => name) };
}

function poolOf(kind: ReaderKind, vault: ReaderVault): ReaderPool {
  return {
    kind,
    async accounts() {
      const kept = vault.of(kind.kind);
      if (kept.length > 0) return kept;
      return kind.logIn === undefined || kind.hasOwnAccount === true ? null : [];
    },
  };
}

function leaseNames(kind: string, vault: ReaderVault): string[] {
  return [null, ...vault.of(kind).map(({ id }) => id)].map((id) => readerKey(kind, id));
}

interface DeskParts {
  readonly service: Ingest;
  readonly vault: ReaderVault;
  readonly kinds: readonly ReaderKind[];
  readonly logins: Logins;
  readonly keep: (account: NewReaderAccount) => Promise<void>;
  readonly signingSecret: string;
}

function deskOf({ service, vault, kinds, logins, keep, signingSecret }: DeskParts): IngestDesk {
  const open = kinds.filter((kind): kind is LoginKind & ReaderKind => kind.logIn !== undefined);
  return {
    service,
    kinds: kinds.map(({ kind }) => kind),
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
  account: string,
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
