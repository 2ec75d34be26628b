// The house without its front: store, accounts, platforms and the road, opened in order and closed in reverse.
// The gateway puts HTTP before it, the library uses it in process.

import { join } from 'node:path';
import {
  Accounts,
  type AccountsOptions,
  ADMIN_KEY_FILE,
  loadSecret,
  SECRET_FILE,
} from '../accounts/accounts.ts';
import type { Config, Settings } from '../config/config.ts';
import { SPOOL_FOLDER } from '../domain/body.ts';
import type { FaultStage, ReportFault } from '../domain/fault.ts';
import { accountId, isSandboxAccount, platformOf, SANDBOX, SANDBOX_OFF } from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Platform, ScreenWatch } from '../platforms/platform.ts';
import type { SimPeople } from '../sim/sim.ts';
import { Spool } from '../spool/spool.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';
import type { Store } from '../store/ports/store.ts';
import { bootTime } from '../system/boot.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import { createLog, type Log } from '../system/log.ts';
import { type Random, systemRandom } from '../system/random.ts';
import { type FullQueue, faultLog, fullLog } from '../telemetry/log/road-log.ts';
import { createEngine, type Engine, type EngineAccounts } from './delivery.ts';
import {
  definitionsOf,
  openPlatforms,
  type PlatformChoice,
  priorsBySettings,
} from './platforms.ts';
import { type AcceptedLoss, openStore } from './store.ts';

export interface House {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly journal: Store;
  // Of the embedded store: what an operator accepted as lost, the latest last.
  readonly losses: readonly AcceptedLoss[];
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly platforms: ReadonlyMap<string, Platform>;
  // What sandbox tokens talk to, by platform; none: the sandbox is off.
  readonly sandboxes: ReadonlyMap<string, SimPeople>;
  // What the gateway shows itself; null: no platform has screens.
  readonly screens: ScreenWatch | null;
  readonly spool: Spool;
  readonly engine: Engine;
  readonly report: ReportFault;
  readonly adminKey: string;
  // Seals tokens; the secrets of webhooks are derived from it.
  readonly secret: string;
  readonly secretPrevious: string | null;
  settingsOf(account: string): Settings;
  // Cuts off the calls that are still out.
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

// What is told while the house is at work, for metrics.
export interface HouseWatch {
  // So many commands were written to the store together, so long after they were handed over.
  countCommit(commands: number, tookMs: number): void;
  // A queue is full, and a message of this account was refused.
  countFull(account: string): void;
  // An exception was contained.
  countFault(stage: FaultStage): void;
}

export async function openHouse(
  config: Config,
  watch: HouseWatch,
  choice: PlatformChoice = {},
): Promise<House> {
  const clock = systemClock();
  const random = systemRandom();
  const secrets = definitionsOf(choice).flatMap(({ credentials }) => credentials.secrets);
  const log = createLog({ level: config.log, secrets });
  const { journal, ledger, losses } = await openStore(config, {
    ...{ random, onNote: ({ level, text }) => log[level]({}, text) },
    watch: { now: clock.now, written: watch.countCommit },
    onOwnerLost: (error) => leave(log, error),
  });
  const secret = await loadSecret(config.data, SECRET_FILE, config.secret);
  const adminKey = await loadSecret(config.data, ADMIN_KEY_FILE, config.adminKey);
  const spool = await Spool.open({
    dir: join(config.data, SPOOL_FOLDER),
    bytesMax: config.spoolBytesMax,
  });
  const report = faultLog(clock, log, (stage) => watch.countFault(stage));
  const ports = { clock, random, files: spool, report, log };
  const { platforms, sandboxes } = await openPlatforms(config, choice, ports);
  const close = () => ledger.close().then(() => journal.close());
  const sealing = { secret: secret.value, secretPrevious: config.secretPrevious };
  const { admits, accountsMax } = config;
  const configured = configuredAccounts(config, platforms, report);
  const bounds = { configured: new Set(configured.keys()), admits, accountsMax };
  const opening = { clock, journal, platforms, report, ...sealing, ...bounds };
  const accounts = await openAccounts(opening, close);
  const settingsOf = (account: string) => configured.get(account) ?? config;
  const engine = createEngine({
    journal,
    ledger,
    clock,
    bootTime,
    random,
    settings: config,
    accounts: engineAccounts(accounts, platforms, settingsOf),
    onFull: tellFull(watch, fullLog(clock, log)),
    report,
    fatal: (error) => giveUp(log, error),
  });
  accounts.listen(({ id, kind }) => {
    if (kind === 'token') engine.dispatch.state.stay(id);
    if (kind === 'removed') engine.dispatch.leave(id);
  });
  return {
    clock,
    random,
    log,
    journal,
    losses,
    ledger,
    accounts,
    platforms,
    sandboxes,
    screens: screensOf(platforms),
    spool,
    engine,
    report,
    adminKey: adminKey.value,
    ...sealing,
    settingsOf,
    async hangUp() {
      await Promise.all([...platforms.values()].map((platform) => platform.wire.close?.()));
    },
    close,
  };
}

function screensOf(platforms: ReadonlyMap<string, Platform>): ScreenWatch | null {
  return [...platforms.values()].find(({ screens }) => screens !== undefined)?.screens ?? null;
}

// A house that cannot be opened leaves nothing open behind it: its threads would keep the process.
async function openAccounts(options: AccountsOptions, close: () => Promise<void>) {
  try {
    return await Accounts.open(options);
  } catch (error) {
    await close();
    throw error;
  }
}

function tellFull(watch: HouseWatch, tell: (full: FullQueue) => void) {
  return (full: FullQueue) => {
    watch.countFull(full.account);
    tell(full);
  };
}

function leave(log: Log, error: Error): never {
  log.fatal({}, error.message);
  process.exit(1);
}

export function giveUp(log: Log, error: unknown): never {
  log.fatal({ err: error }, 'internal invariant violated, exiting');
  process.exit(1);
}

// The settings of the configuration's accounts, by the ids that their tokens name. One whose host its platform fails to
// tell is left out.
function configuredAccounts(
  config: Config,
  platforms: ReadonlyMap<string, Platform>,
  report: ReportFault,
): ReadonlyMap<string, Settings> {
  const configured = new Map<string, Settings>();
  for (const { name, platform, token, settings } of config.accounts) {
    try {
      const { wire, credentials } = platforms.get(platform)!;
      const host = wire.hostOf?.(token).name ?? '';
      configured.set(accountId(platform, host, credentials.claimedId(token)), settings);
    } catch (error) {
      report('recovery', error, { account: name });
    }
  }
  return configured;
}

function engineAccounts(
  accounts: Accounts,
  platforms: ReadonlyMap<string, Platform>,
  settingsOf: (account: string) => Settings,
): EngineAccounts {
  const priorsOf = priorsBySettings();
  return {
    platformOf(id) {
      const platform = platforms.get(platformOf(id))!;
      const settings = settingsOf(id);
      const host = isSandboxAccount(id) ? `${platform.name} ${SANDBOX}` : platform.name;
      const isStranger = !accounts.isConfigured(id);
      return { platform, host, settings, isStranger, priors: priorsOf(platform, settings) };
    },
    get: (id) => withOff(accounts, accounts.get(id)),
    list: () => accounts.list().map((account) => withOff(accounts, account)),
    credentialOf: accounts.credentialOf.bind(accounts),
    setRefused: (id, reason) => accounts.setRefused(id, reason),
    setPaused: (id, paused) => accounts.setPaused(id, paused),
  };
}

// What is left of a sandbox that is off waits, as of an account that its platform refuses.
function withOff<A extends StoredAccount | null>(accounts: Accounts, account: A): A {
  if (account === null || !accounts.isOff(account.id)) return account;
  return { ...account, refused: SANDBOX_OFF };
}
