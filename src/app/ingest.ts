// Joins ingest with the house: what platforms can read becomes its readers, its events become log lines, and what it
// reads goes on to webhooks and chats.

import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import type { IntakeOptions } from '../http/context.ts';
import type { IngestDesk } from '../http/ingest/port.ts';
import { Forwarding } from '../ingest/forwarding.ts';
import { Ingest, type IngestSettings, type ReaderPool } from '../ingest/ingest.ts';
import type { ReaderKind } from '../platforms/history.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Service } from '../system/service.ts';
import { ingestLog } from '../telemetry/log/ingest-log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { openHandingOn } from './handing-on.ts';
import { ReaderVault } from './reader-vault.ts';
import type { House } from './resources.ts';

export interface IngestRoom extends Service {
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

const OFF: IngestRoom = {
  desk: undefined,
  observe: async () => {},
  start: async () => {},
  stop: async () => {},
};

// `options`: asked when a post goes into a chat, which is after intake was made.
export function openIngest(
  config: Config,
  house: House,
  metrics: Pick<Metrics, 'samples'>,
  options: () => IntakeOptions,
): IngestRoom {
  if (config.ingest === 'off') return OFF;
  const { clock, random, log, journal, secret, secretPrevious, platforms } = house;
  const vault = new ReaderVault({
    ...{ store: journal.ingest, clock, secret, secretPrevious },
    onUnreadable: (kind, account) =>
      log.warn({ kind, account }, 'the session of a reader was sealed with another secret'),
  });
  const kinds = [...platforms.values()].flatMap(({ history = [] }) => history);
  const onEvent = ingestLog(log, (id) => service.get(id)?.name ?? null);
  const service: Ingest = new Ingest({
    ...{ store: journal.ingest, clock, random, settings: settingsOf(config) },
    pools: [...kinds, UPDATES].map((kind) => poolOf(kind, vault)),
    node: hostname(),
    // Random, as the secret is. One process has this store, so after a crash the next one goes on at once.
    token: createHmac('sha256', secret).update('lease of readers').digest('base64url'),
    onEvent(event) {
      onEvent(event);
      if (event.kind === 'posts') forwarding.wake(event.source);
    },
  });
  const handingOn = openHandingOn(house, options);
  const forwarding = new Forwarding({
    ...{ store: journal.ingest, clock, random, sources: () => service.list() },
    hand: handingOn.hand,
    onFailure: (source, error) => log.warn({ source, err: error }, 'could not forward a post'),
  });
  metrics.samples(() => service.samples());
  return {
    desk: deskOf({ service, vault, kinds: [...kinds, UPDATES], secret: handingOn.secret }),
    observe: (account, update) => observe(house, service, account, update),
    async start() {
      await vault.load();
      await service.start();
      await forwarding.start();
    },
    async stop(deadlineMs) {
      await Promise.all([service.stop(deadlineMs), forwarding.stop(deadlineMs)]);
      await handingOn.close();
    },
  };
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

interface DeskParts {
  readonly service: Ingest;
  readonly vault: ReaderVault;
  readonly kinds: readonly ReaderKind[];
  readonly secret: string;
}

function deskOf({ service, vault, kinds, secret }: DeskParts): IngestDesk {
  return {
    service,
    kinds: kinds.map(({ kind }) => kind),
    signingSecret: secret,
    async accounts() {
      const nameOf = (kind: string, id: string | null) =>
        vault.of(kind).find((each) => each.id === id)?.name ?? null;
      const all = await service.accounts();
      return all.map((each) => ({ ...each, name: nameOf(each.readerKind, each.account) }));
    },
    async saveAccount(account) {
      const kind = kinds.find((each) => each.kind === account.kind);
      if (kind?.logIn === undefined) return false;
      await vault.save(account);
      await service.loggedIn(account.kind, account.id);
      return true;
    },
    async removeAccount(kind, id) {
      const isKept = await vault.remove(kind, id);
      if (isKept) await service.loggedIn(kind, id);
      return isKept;
    },
  };
}

// Where the store cannot be written the platform is not told that the update was taken, and tells it again. Any other
// fault is ours: the gap is seen by the next post, and the update goes its way.
async function observe(
  house: House,
  service: Ingest,
  account: string,
  update: unknown,
): Promise<void> {
  try {
    const pushed = house.platforms.get(platformOf(account))?.updates?.postIn?.(update) ?? null;
    if (pushed !== null) await service.push(account, pushed);
  } catch (error) {
    if (error instanceof JournalUnavailable) throw error;
    house.report('update', error, { account });
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
