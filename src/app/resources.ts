// What a gateway stands on: store, accounts, platforms and the road, opened in order and closed in reverse.
// The gateway puts HTTP before it, the library uses it in process.

import {
  type AccountChange,
  Accounts,
  type AccountsOptions,
  ADMIN_KEY_FILE,
  loadSecret,
  SECRET_FILE,
} from '../accounts/accounts.ts';
import { secretPrint } from '../cluster/secret.ts';
import type { Config, Settings } from '../config/config.ts';
import { SettableLimits } from '../config/settable-limits.ts';
import type { Dispatch } from '../dispatch/loop.ts';
import type { FaultStage, ReportFault } from '../domain/fault.ts';
import {
  type AccountId,
  accountId,
  isSandboxAccount,
  platformOf,
  SANDBOX,
  SANDBOX_OFF,
} from '../domain/ids.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Platform, ScreenWatch } from '../platforms/platform.ts';
import type { AskedRoad } from '../road/road.ts';
import type { SimPeople } from '../sim/sim.ts';
import type { FileSpool } from '../spool/spool.ts';
import type { StoredAccount } from '../store/ports/accounts.ts';
import type { Store } from '../store/ports/store.ts';
import type { SpillingStore } from '../store/spill/store.ts';
import { bootTime } from '../system/boot.ts';
import type { Clock } from '../system/clock.ts';
import { createLog, type Log } from '../system/log.ts';
import { Periodic } from '../system/periodic.ts';
import { type Random, systemRandom } from '../system/random.ts';
import { unreachableLog } from '../telemetry/log/outage-log.ts';
import { periodicLog } from '../telemetry/log/periodic-log.ts';
import { type FullQueue, faultLog, fullLog } from '../telemetry/log/road-log.ts';
import { openClock } from './database-clock.ts';
import { createEngine, type Engine, type EngineAccounts } from './delivery.ts';
import { Fleet } from './fleet.ts';
import { type ClassesOf, ownClasses } from './output-classes.ts';
import {
  definitionsOf,
  openPlatforms,
  type PlatformChoice,
  priorsBySettings,
} from './platforms.ts';
import { followSpill } from './spill.ts';
import { openSpool } from './spool.ts';
import { type AcceptedLoss, type ChosenStore, openStore } from './store.ts';

export interface Resources {
  readonly clock: Clock;
  readonly periodic: Periodic;
  readonly random: Random;
  readonly log: Log;
  readonly journal: Store;
  // Of a node of a fleet: what it accepts while the database is away; null: the store is its own.
  readonly spill: SpillingStore | null;
  // Of the embedded store: what an operator accepted as lost, the latest last.
  readonly losses: readonly AcceptedLoss[];
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly platforms: ReadonlyMap<string, Platform>;
  // What sandbox tokens talk to, by platform; none: the sandbox is off.
  readonly sandboxes: ReadonlyMap<string, SimPeople>;
  // What the gateway shows itself; null: no platform has screens.
  readonly screens: ScreenWatch | null;
  readonly spool: FileSpool;
  readonly engine: Engine;
  // The road of this process alone; of a fleet, `engine.road` also reaches what others own.
  readonly local: AskedRoad;
  // null: this process is the only one.
  readonly fleet: Fleet | null;
  readonly report: ReportFault;
  readonly adminKey: string;
  // Seals tokens; the secrets of webhooks are derived from it.
  readonly secret: string;
  readonly secretPrevious: string | null;
  settingsOf(account: AccountId): Settings;
  // null: every account's output has the classes that hold where nobody sets any.
  readonly classesOf: ClassesOf | null;
  // Cuts off the calls that are still out.
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

// Counts what happens while the gateway runs, for metrics.
export interface ResourceWatch {
  // So many commands were written to the store together, so long after they were handed over.
  countCommit(commands: number, tookMs: number): void;
  // A queue is full, and a message of this account was refused.
  countFull(account: AccountId): void;
  // An exception was contained.
  countFault(stage: FaultStage): void;
}

export async function openResources(
  config: Config,
  watch: ResourceWatch,
  choice: PlatformChoice = {},
): Promise<Resources> {
  const random = systemRandom();
  const secrets = definitionsOf(choice).flatMap(({ credentials }) => credentials.secrets);
  const log = createLog({ level: config.log, secrets });
  const { clock, ...time } = openClock(config, log);
  const periodic = new Periodic(clock, periodicLog(log));
  const { journal, ledger, losses, spill, shared } = await openStore(config, {
    ...{ clock, periodic, onNote: ({ level, text }) => log[level]({}, text) },
    watch: { now: clock.now, written: watch.countCommit },
    onOwnerLost: (error) => leave(log, error),
    setClock: time.set,
  });
  time.start(periodic);
  const parts = { config, clock, periodic, log, ledger };
  const fleet = shared === null ? null : new Fleet({ ...parts, ...shared });
  const secret = await loadSecret(config.data, SECRET_FILE, config.secret);
  const adminKey = await loadSecret(config.data, ADMIN_KEY_FILE, config.adminKey);
  const { spool, ensure, close: closeSpool } = await openSpool(config, clock);
  const report = faultLog(clock, log, (stage) => watch.countFault(stage));
  const ports = { clock, random, files: spool, report, log };
  const { platforms, sandboxes } = await openPlatforms(config, choice, ports);
  const close = () => closeStore(fleet, [ledger, { close: closeSpool }, journal, time]);
  const sealing = { secret: secret.value, secretPrevious: config.secretPrevious };
  const { admits, accountsMax } = config;
  const configured = configuredAccounts(config, platforms, report);
  const bounds = { configured: new Set(configured.keys()), admits, accountsMax };
  const opening = { clock, journal, platforms, report, ...sealing, ...bounds, ...sharing(shared) };
  const accounts = await openAccounts(opening, log, shared, close);
  const byHand = new SettableLimits((account) => configured.get(account) ?? config, platformOf);
  const settingsOf = (account: AccountId) => byHand.settingsOf(account);
  const local = createEngine({
    ...{ journal, ledger, clock, periodic },
    ...(fleet === null ? { bootTime } : { fleet: fleetOptions(fleet) }),
    random,
    settings: config,
    accounts: engineAccounts(accounts, platforms, settingsOf),
    limitSettings: byHand,
    onFull: reportFull(watch, fullLog(clock, log)),
    report,
    fatal: (error) => giveUp(log, error),
  });
  const engine = fleet?.attach(local, settingsOf) ?? local;
  const isOpen = (account: AccountId) => fleet?.accounts.isHere(account) ?? true;
  if (spill !== null) followSpill(spill, engine.dispatch, { clock, ensure, isOpen });
  accounts.listen((change) => follow(engine.dispatch, accounts, fleet, change));
  return {
    ...{ clock, periodic, random, log, journal, spill, losses, ledger },
    accounts,
    platforms,
    sandboxes,
    screens: screensOf(platforms),
    spool,
    engine,
    local: local.road,
    fleet,
    report,
    adminKey: adminKey.value,
    ...sealing,
    ...{ settingsOf, classesOf: ownClasses([config, ...configured.values()], settingsOf) },
    async hangUp() {
      await Promise.all([...platforms.values()].map((platform) => platform.wire.close?.()));
    },
    close,
  };
}

async function closeStore(
  fleet: Fleet | null,
  stores: readonly { close(): Promise<unknown> }[],
): Promise<void> {
  await fleet?.close();
  for (const store of stores) await store.close();
}

// Other nodes change the same accounts.
function sharing(shared: ChosenStore['shared']) {
  return shared && { shared: shared.journal.sharedAccounts };
}

function fleetOptions(fleet: Fleet) {
  return {
    certainMs: fleet.certainMs,
    onLost: (account: AccountId) => fleet.accounts.lost(account),
  };
}

// Of a fleet, only what is this node's.
function follow(
  dispatch: Dispatch,
  accounts: Accounts,
  fleet: Fleet | null,
  { id, kind, isOthers }: AccountChange,
): void {
  if (fleet !== null && !fleet.accounts.isHere(id)) return;
  if (kind === 'token') dispatch.state.stay(id);
  // Who removes an account by hand has it, and cancels what waits. What another node drops gave way there, with nothing
  // left to do: what is here now came after it.
  if (kind === 'evicted' || (kind === 'removed' && isOthers === true))
    dispatch.leave(id, 'evicted');
  else if (kind === 'removed') dispatch.leave(id);
  if (kind === 'paused' && isOthers === true) {
    dispatch.state.availability.setPaused(id, accounts.stateOf(id).paused);
    dispatch.state.wake();
  }
}

function screensOf(platforms: ReadonlyMap<string, Platform>): ScreenWatch | null {
  return [...platforms.values()].find(({ screens }) => screens !== undefined)?.screens ?? null;
}

// What cannot be opened leaves nothing open behind it: its threads would keep the process.
async function openAccounts(
  options: AccountsOptions,
  log: Log,
  shared: ChosenStore['shared'],
  close: () => Promise<void>,
) {
  const { secret, secretPrevious: former = null } = options;
  const print = { own: secretPrint(secret), former: former && secretPrint(former) };
  try {
    const accounts = await Accounts.open({ ...options, onUnreachable: unreachableLog(log) });
    // Not before: tokens that open tell that it is right where the store keeps no word of it yet.
    await shared?.journal.agreeOn(print);
    return accounts;
  } catch (error) {
    await close();
    throw error;
  }
}

function reportFull(watch: ResourceWatch, logFull: (full: FullQueue) => void) {
  return (full: FullQueue) => {
    watch.countFull(full.account);
    logFull(full);
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
): ReadonlyMap<AccountId, Settings> {
  const configured = new Map<AccountId, Settings>();
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
  settingsOf: (account: AccountId) => Settings,
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

// Deliveries of a sandbox that is switched off wait, as those of a refused account do.
function withOff<A extends StoredAccount | null>(accounts: Accounts, account: A): A {
  if (account === null || !accounts.isOff(account.id)) return account;
  return { ...account, refused: SANDBOX_OFF };
}
