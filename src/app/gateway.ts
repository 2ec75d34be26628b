// The gateway: the house with its front door. Starts the rooms in order (road, housekeeping, HTTP) and stops them
// in reverse, within the drain time: calls in flight are finished and answered, the rest stays on disk.

import { EventEmitter } from 'node:events';
import { WaitingCallers } from '../accept/callers.ts';
import { FollowUps } from '../accept/follow-up.ts';
import type { FanOutRequest, MessageRequest } from '../accept/schema.ts';
import { awaitResult, claimantOf, prepare, type Receipt, submit } from '../accept/submit.ts';
import { type Config, showConfig } from '../config/config.ts';
import type { Problem } from '../domain/errors.ts';
import type { RoadListener } from '../domain/event.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import { type IntakeOptions, WAITING_MAX } from '../http/context.ts';
import { type Dialects, openDialects } from '../http/dialects/dialects.ts';
import { valueProblem } from '../http/edge.ts';
import { callInProcess, type InProcessCall, textParams } from '../http/in-process.ts';
import { type Streaming, streaming } from '../http/streams/handle.ts';
import type { AskedRoad } from '../road/road.ts';
import { createSweeper } from '../spool/sweeper.ts';
import { createQueueLog, type WorkerDepth } from '../telemetry/log/queue-log.ts';
import { followRoad } from '../telemetry/log/road-log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics/metrics.ts';
import { openGuarded } from './auth.ts';
import { type BroadcastCalls, broadcastCalls, openBroadcasts } from './broadcasts.ts';
import { Front, type ListenOptions } from './front.ts';
import { fillMetrics, readHealth } from './health.ts';
import { type IngestRoom, openIngest } from './ingest.ts';
import { type MessageCalls, messageCalls } from './messages.ts';
import { classesOf } from './output-classes.ts';
import type { PlatformChoice } from './platforms.ts';
import { mayLetGo, removeAccount } from './removal.ts';
import type { House } from './resources.ts';
import { openForgetting } from './retention.ts';
import { openLive } from './streams.ts';
import { openArrivals } from './updates.ts';

// Of the drain time: what calls in flight get to finish, and what each further step gets (open requests end; calls
// that were cut off are settled; connections close). The rest is the store's.
const ROAD_DRAIN_SHARE = 0.7;
const STEP_DRAIN_SHARE = 0.07;
// Between two tries to introduce a configured account to a platform that does not answer.
const INTRODUCE_RETRY_MS = 30_000;
const NO_HEADERS = { correlation: null, idempotencyKey: null, holder: HOLDERS.library };

export type { Receipt } from '../accept/submit.ts';
export type { StreamHandle, StreamMessage } from '../http/streams/handle.ts';
export type { ShownStream } from '../http/streams/view.ts';
/** What `POST /v1/messages` takes. */
export type GatewayMessage = MessageRequest | FanOutRequest;

export interface Gateway extends MessageCalls, BroadcastCalls {
  /** Where it listens; null until `listen()`. */
  readonly url: string | null;
  /** Serves HTTP as well, and answers where: REST, the drop-ins, the page. */
  listen(where?: ListenOptions): Promise<string>;
  /** A link that logs a browser in to the page, once; null until `listen()`. */
  loginLink(): string | null;
  /** Whether tokens of the form `<digits>:sandbox…` are served. */
  readonly hasSandbox: boolean;
  /**
   * Durable when it resolves; with `wait` it resolves when the message has come to its end, or the
   * time is over.
   */
  send(message: GatewayMessage): Promise<Receipt | Problem>;
  /**
   * A text that grows: `stream(request)` is a handle to it, `stream(request, source)` takes all of
   * it from a source.
   */
  readonly stream: Streaming;
  /**
   * A platform’s own call, with the platform’s own answer, as over HTTP; null: not a call that
   * sends.
   */
  call(call: InProcessCall): Promise<unknown>;
  /** Tells of everything that happens; answers how to stop listening. */
  events(listener: RoadListener): () => void;
  /** Nothing of this account is sent until `resume`; false: no such account. */
  pause(account: string): Promise<boolean>;
  /** Goes on; false: no such account. */
  resume(account: string): Promise<boolean>;
  /** Within `drainMsMax`: finishes what is in flight; the rest stays on disk. */
  close(): Promise<void>;
}

export async function createGateway(config: Config, choice: PlatformChoice = {}): Promise<Gateway> {
  const metrics = createMetrics({ process: config.metrics });
  const { house, guards, guarding } = await openGuarded(config, metrics, choice);
  const { clock, log, engine } = house;
  const { dispatch, road } = engine;
  fillMetrics(config, house, metrics);
  followRoad(road, log);
  const broadcasts = openBroadcasts(config, house, metrics);
  const ingest = openIngest(config, house, metrics, () => options);
  const arrivals = openArrivals(house, metrics, () => options, [ingest, broadcasts]);
  const live = openLive(config, house, metrics, () => options);
  const rooms = { updates: arrivals.inbound, output: live.output, broadcasts, guards };
  const remove = (id: string, by: string) => removeAccount(house, rooms, id, by);
  const followUps = new FollowUps({ ...house, tag: house.journal.tag }, live.road);
  const intake = { ...intakeOptions(config, house, metrics, followUps.road), followUps };
  const options = { ...intake, ...rooms, ...deskOf(ingest), removeAccount: remove };
  house.accounts.letGo(mayLetGo(house, rooms));
  const waiting = new WaitingCallers(road, clock, WAITING_MAX);
  const dialects = openDialects(options, waiting);
  const front = new Front({ config, house, options, waiting, dialects });
  const atEnd: (() => void)[] = [];
  const keepers = [forgetDeliveries(config, house), openSweeper(house), guarding];
  const queueLog = openQueueLog(house);
  await startRoad(house);
  const parts = [live, broadcasts, ingest, arrivals.inbound, ...keepers, queueLog];
  for (const part of parts) await part.start();
  const introducing = introduceAccounts(config, house);
  let closed: Promise<void> | null = null;

  const close = async () => {
    introducing.stop();
    // Whoever holds the line for what has not left yet gets it back, and may hand it to the next process.
    waiting.beginStop();
    const roadMs = config.drainMsMax * ROAD_DRAIN_SHARE;
    const stepMs = config.drainMsMax * STEP_DRAIN_SHARE;
    await Promise.all([live, broadcasts, ingest].map((part) => part.stop(stepMs)));
    await Promise.all([dispatch.stop(roadMs), arrivals.stop(roadMs)]);
    waiting.stop();
    for (const stop of atEnd) stop();
    await queueLog.stop(0);
    await front.close(stepMs);
    for (const keeper of keepers) await keeper.stop(stepMs);
    front.forgetAddress();
    await house.close();
  };
  return {
    get url() {
      return front.url;
    },
    listen: (where = {}) => front.listen(where),
    hasSandbox: house.sandboxes.size > 0,
    loginLink: () => (front.url === null ? null : guarding.linkAt(front.url)),
    send: (message) => send(options, waiting, message),
    stream: streaming((stop) => void atEnd.push(stop), { ...options, ...live.output }),
    ...messageCalls(options),
    ...broadcastCalls(options),
    call: (made) => call(house, dialects, made),
    events: (listener) => road.listen(listener),
    pause: (account) => road.pause(account),
    resume: (account) => road.resume(account),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function deskOf({ desk }: IngestRoom) {
  return desk === undefined ? {} : { ingest: desk };
}

function openQueueLog(house: House) {
  const { clock, log, engine } = house;
  const { road, dispatch } = engine;
  const depths = () => ({ ...road.depths(), platforms: dispatch.state.scheduler.livePlatforms() });
  const workers = () => workerDepths(house);
  return createQueueLog({ clock, log, counts: () => road.counts(), depths, workers });
}

function workerDepths({ platforms, engine }: House): WorkerDepth[] {
  const depths = engine.dispatch.state.scheduler.platformDepths();
  return Array.from(platforms.keys(), (platform) => {
    const { waiting: queued, inFlight } = depths.get(platform) ?? { waiting: 0, inFlight: 0 };
    return { platform, queued, inFlight };
  });
}

// A road that cannot start (the disk is full) leaves nothing open behind it.
async function startRoad(house: House): Promise<void> {
  try {
    await house.engine.dispatch.start();
  } catch (error) {
    await house.close();
    throw error;
  }
}

async function send(options: IntakeOptions, waiting: WaitingCallers, message: GatewayMessage) {
  const unfit = valueProblem(message);
  if (unfit !== null) return unfit;
  const draft = prepare(options, message, NO_HEADERS);
  const prepared = draft instanceof Promise ? await draft : draft;
  const { waitMs } = prepared;
  const submitted = await submit(options, prepared);
  if (submitted.kind === 'refused') return submitted.problem;
  if (waitMs === 0) return submitted.receipt;
  // Nobody in this process hangs up.
  const wait = { ms: waitMs, caller: new EventEmitter(), claimant: claimantOf(prepared) };
  return (await awaitResult(options, waiting, submitted, wait)).answer;
}

async function call(house: House, dialects: Dialects, made: InProcessCall): Promise<unknown> {
  const platform = house.platforms.get(made.platform);
  if (platform === undefined) throw new TypeError(`no platform is called ${made.platform}`);
  const described = platform.calls.describe(made.method, textParams(made.params));
  return described.kind === 'pass' ? null : callInProcess(dialects, made);
}

function intakeOptions(
  config: Config,
  house: House,
  metrics: Metrics,
  road: AskedRoad,
): Omit<IntakeOptions, 'guards'> {
  const { clock, ledger, journal, accounts, platforms, log, spool } = house;
  return {
    clock,
    road,
    ledger,
    tag: journal.tag,
    accounts,
    platforms,
    health: async () => readHealth(house),
    metrics,
    log,
    spool,
    late: { observers: 0 },
    ...(house.screens === null ? null : { screens: house.screens }),
    sandboxes: house.sandboxes,
    config: showConfig(config, null),
    settings: {
      host: config.host,
      allowedHosts: config.allowedHosts,
      bodyBytesMax: config.bodyBytesMax,
      uploadBytesMax: config.uploadBytesMax,
      batchMax: config.batchMax,
      waitSMax: config.waitSMax,
      deadlineMs: config.deadlineMs,
      wait: config.wait,
      dropInCures: config.dropInCures,
      metrics: config.metrics,
      queueMaxOf: (account) => house.settingsOf(account).queueMax,
      classesOf: (account) => classesOf(house.settingsOf(account)),
      trustedProxies: config.trustedProxies,
      connectionsMax: config.connectionsMax,
      streamThoughts: config.streamThoughts,
    },
  };
}

// Accounts of the configuration are known from the start; a platform that is away is asked again.
function introduceAccounts(config: Config, house: House): { stop(): void } {
  const { accounts, clock, log } = house;
  const timers = new Set<{ cancel(): void }>();
  const failed = (error: unknown) => log.error({ err: error }, 'could not introduce an account');
  const introduce = async (entry: Config['accounts'][number]) => {
    const identity = await accounts.identifyConfigured(entry.platform, entry.token);
    if (identity.kind === 'known') return;
    if (identity.kind === 'unreachable' || identity.kind === 'busy') {
      log.warn(
        { account: entry.name },
        'the platform does not answer for this account; trying again',
      );
      const timer = clock.schedule(clock.now() + INTRODUCE_RETRY_MS, () => {
        timers.delete(timer);
        void introduce(entry).catch(failed);
      });
      timers.add(timer);
      return;
    }
    log.error({ account: entry.name, why: identity.kind }, 'the platform refuses this account');
  };
  for (const entry of config.accounts) void introduce(entry).catch(failed);
  return {
    stop() {
      for (const timer of timers) timer.cancel();
    },
  };
}

function openSweeper({ clock, spool, journal, log }: House) {
  return createSweeper({
    clock,
    spool,
    inUse: () => journal.filesInUse(),
    onFailure: (error) => log.warn({ err: error }, 'could not sweep the spool; trying again'),
  });
}

function forgetDeliveries(config: Config, house: House) {
  return openForgetting(config, house, {
    what: 'deliveries',
    days: config.retentionDays,
    deadDays: config.deadDays,
    prune: (step) => house.journal.prune(step),
  });
}
