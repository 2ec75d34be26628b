// The gateway: what it stands on, with its HTTP server. Starts its parts in order (road, housekeeping, HTTP) and stops
// them in reverse, within the drain time: calls in flight are finished and answered, the rest stays on disk.

import { EventEmitter } from 'node:events';
import { WaitingCallers } from '../accept/callers.ts';
import { FollowUps } from '../accept/follow-up.ts';
import type { FanOutRequest, MessageRequest } from '../accept/schema.ts';
import {
  awaitResult,
  claimantOf,
  type PreparedMessage,
  prepare,
  type Receipt,
  type Submitted,
  submit,
} from '../accept/submit.ts';
import { type Config, showConfig } from '../config/config.ts';
import type { Problem } from '../domain/errors.ts';
import type { RoadListener } from '../domain/event.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import { type AccountId, parseAccountId } from '../domain/ids.ts';
import { type HttpParts, WAITING_MAX } from '../http/context.ts';
import { type Dialects, openDialects } from '../http/dialects/dialects.ts';
import { valueProblem } from '../http/edge.ts';
import { callInProcess, type InProcessCall, textParams } from '../http/in-process.ts';
import { type Streaming, streaming } from '../http/streams/handle.ts';
import type { AskedRoad } from '../road/road.ts';
import { createSweeper } from '../spool/sweeper.ts';
import type { Clock } from '../system/clock.ts';
import { VERSION } from '../system/version.ts';
import { createQueueLog, type WorkerDepth } from '../telemetry/log/queue-log.ts';
import { followRoad } from '../telemetry/log/road-log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics/metrics.ts';
import { openGuarded } from './auth.ts';
import { type BroadcastCalls, broadcastCalls, openBroadcasts } from './broadcasts.ts';
import { fillMetrics, readHealth } from './health.ts';
import { minutesSoFar, openHistory } from './history.ts';
import { type IngestPart, openIngest } from './ingest/ingest.ts';
import { HttpListener, type ListenOptions } from './listener.ts';
import { type MessageCalls, messageCalls } from './messages.ts';
import { type FleetMember, openMember } from './node.ts';
import type { PlatformChoice } from './platforms.ts';
import { mayLetGo, removeAccount } from './removal.ts';
import type { Resources } from './resources.ts';
import { openRetention } from './retention.ts';
import { openLive } from './streams.ts';
import { openUpdates } from './updates.ts';

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
  /** Serves HTTP as well, and answers where: REST, the drop-ins, the dashboard. */
  listen(where?: ListenOptions): Promise<string>;
  /** A link that logs a browser in to the dashboard, once; null until `listen()`. */
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
  /** Within `drainMsMax`, but a second at least: what is in flight ends, the rest stays on disk. */
  close(): Promise<void>;
}

export async function createGateway(config: Config, choice: PlatformChoice = {}): Promise<Gateway> {
  const metrics = createMetrics({ process: config.metrics });
  const { resources, guards, auth } = await openGuarded(config, metrics, choice);
  const { clock, log } = resources;
  const { dispatch, road } = resources.engine;
  fillMetrics(config, resources, metrics);
  followRoad(road, log);
  const broadcasts = openBroadcasts(config, resources, metrics);
  const ingest = openIngest(config, resources, metrics, () => options);
  const incoming = openUpdates(resources, metrics, () => options, [ingest, broadcasts]);
  const live = openLive(config, resources, metrics, () => options);
  const services = { updates: incoming.inbound, ...outputsOf(live, ingest), broadcasts, guards };
  const followUps = new FollowUps({ ...resources, tag: resources.journal.tag }, live.road);
  // Only what changes a message may be live output, or have copies that follow it.
  const asked = { ...live.road, submit: road.submit };
  const http = { ...httpParts(config, resources, metrics, asked), followUps };
  const kept = [live, broadcasts, incoming.inbound, followUps];
  const member = openMember(config, resources, guards, kept);
  const removal = removeAccount.bind(null, resources, services);
  const options = { ...http, ...services, ...member.side, removeAccount: removal };
  resources.accounts.letGo(mayLetGo(resources, services));
  const waiting = new WaitingCallers(road, clock, WAITING_MAX);
  const dialects = openDialects(options, waiting);
  const listener = new HttpListener({ config, resources, options, waiting, dialects });
  const atEnd: (() => void)[] = [];
  const guardServices = [forgetDeliveries(config, resources), openSweeper(resources), auth];
  const [queueLog, history] = [openQueueLog(resources), openHistory(resources, metrics)];
  await startRoad(resources);
  const parts = [live, broadcasts, ingest, incoming.inbound, ...guardServices, queueLog, history];
  for (const part of parts) await part.start();
  await member.start(options, waiting, dialects);
  const introducing = introduceAccounts(config, resources);
  let closed: Promise<void> | null = null;

  const close = async () => {
    introducing.stop();
    // Callers that wait for what has not left yet get it back, and may submit it to the next process.
    waiting.beginStop();
    const stepMs = config.drainMsMax * STEP_DRAIN_SHARE;
    const roadMs = await leave(config, clock, member);
    await Promise.all([live, broadcasts, ingest].map((part) => part.stop(stepMs)));
    await Promise.all([dispatch.stop(roadMs), incoming.stop(roadMs)]);
    waiting.stop();
    for (const stop of atEnd) stop();
    await Promise.all([queueLog.stop(0), history.stop(stepMs)]);
    await Promise.all([listener.close(stepMs), member.close(stepMs)]);
    for (const service of guardServices) await service.stop(stepMs);
    listener.forgetAddress();
    await resources.close();
  };
  return {
    get url() {
      return listener.url;
    },
    listen: (where = {}) => listener.listen(where),
    hasSandbox: resources.sandboxes.size > 0,
    loginLink: () => (listener.url === null ? null : auth.linkAt(listener.url)),
    send: (message) => send(options, waiting, message),
    stream: streaming((stop) => void atEnd.push(stop), { ...options, ...live.output }),
    ...messageCalls(options),
    ...broadcastCalls(options),
    call: (made) => call(resources, dialects, made),
    events: (listener) => road.listen(listener),
    pause: (account) => ofAccount(account, (id) => road.pause(id)),
    resume: (account) => ofAccount(account, (id) => road.resume(id)),
    close: () => (closed ??= close()),
  };
}

// False: nothing is called so.
async function ofAccount(name: string, act: (id: AccountId) => Promise<boolean>): Promise<boolean> {
  const id = parseAccountId(name);
  return id !== null && act(id);
}

// Of a fleet: hands over first. Answers how long what is in flight has then.
async function leave({ drainMsMax }: Config, clock: Clock, member: FleetMember): Promise<number> {
  const until = clock.now() + drainMsMax * ROAD_DRAIN_SHARE;
  await member.leave(until - clock.now());
  return Math.max(0, until - clock.now());
}

function outputsOf({ output }: ReturnType<typeof openLive>, { desk }: IngestPart) {
  return { output, ...(desk === undefined ? {} : { ingest: desk }) };
}

function openQueueLog(resources: Resources) {
  const { periodic, log, engine } = resources;
  const { road, dispatch } = engine;
  const depths = () => ({ ...road.depths(), platforms: dispatch.state.scheduler.livePlatforms() });
  const workers = () => workerDepths(resources);
  return createQueueLog({ periodic, log, counts: () => road.counts(), depths, workers });
}

function workerDepths({ platforms, engine }: Resources): WorkerDepth[] {
  const depths = engine.dispatch.state.scheduler.platformDepths();
  return Array.from(platforms.keys(), (platform) => {
    const { waiting: queued, inFlight } = depths.get(platform) ?? { waiting: 0, inFlight: 0 };
    return { platform, queued, inFlight };
  });
}

// A road that cannot start (the disk is full) leaves nothing open behind it.
async function startRoad(resources: Resources): Promise<void> {
  try {
    await resources.engine.dispatch.start();
  } catch (error) {
    await resources.close();
    throw error;
  }
}

type Sent = Promise<Receipt | Problem>;

// Not an async function: what one keeps of every message that is being written is much of an accept's garbage.
function send(options: HttpParts, waiting: WaitingCallers, message: GatewayMessage): Sent {
  try {
    const unfit = valueProblem(message);
    if (unfit !== null) return Promise.resolve(unfit);
    const prepared = prepare(options, message, NO_HEADERS);
    return prepared instanceof Promise
      ? prepared.then((known) => sendPrepared(options, waiting, known))
      : sendPrepared(options, waiting, prepared);
  } catch (error) {
    return Promise.reject(error);
  }
}

function sendPrepared(
  options: HttpParts,
  waiting: WaitingCallers,
  prepared: PreparedMessage,
): Sent {
  const submitted = submit(options, prepared);
  if (prepared.waitMs === 0) return submitted.then(receiptOrProblem);
  return submitted.then(async (known) => {
    if (known.kind === 'refused') return known.problem;
    // In this process no caller can hang up.
    const claimant = claimantOf(prepared);
    const wait = { ms: prepared.waitMs, caller: new EventEmitter(), claimant };
    return (await awaitResult(options, waiting, known, wait)).answer;
  });
}

function receiptOrProblem(submitted: Submitted): Receipt | Problem {
  return submitted.kind === 'refused' ? submitted.problem : submitted.receipt;
}

async function call(
  resources: Resources,
  dialects: Dialects,
  made: InProcessCall,
): Promise<unknown> {
  const platform = resources.platforms.get(made.platform);
  if (platform === undefined) throw new TypeError(`no platform is called ${made.platform}`);
  const described = platform.calls.describe(made.method, textParams(made.params));
  return described.kind === 'pass' ? null : callInProcess(dialects, made);
}

function httpParts(
  config: Config,
  resources: Resources,
  metrics: Metrics,
  road: AskedRoad,
): Omit<HttpParts, 'guards'> {
  const { clock, periodic, ledger, journal, accounts, platforms, log, spool } = resources;
  return {
    clock,
    periodic,
    road,
    ledger,
    tag: journal.tag,
    accounts,
    platforms,
    health: async () => readHealth(resources),
    metrics,
    log,
    spool,
    late: { observers: 0 },
    ...(resources.screens === null ? null : { screens: resources.screens }),
    sandboxes: resources.sandboxes,
    config: showConfig(config, null),
    version: VERSION,
    minutes: minutesSoFar(resources, metrics),
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
      queueMaxOf: (account) => resources.settingsOf(account).queueMax,
      ...(resources.classesOf === null ? null : { classesOf: resources.classesOf }),
      trustedProxies: config.trustedProxies,
      connectionsMax: config.connectionsMax,
      streamThoughts: config.streamThoughts,
    },
  };
}

// Accounts of the configuration are known from the start; a platform that is away is asked again.
function introduceAccounts(config: Config, resources: Resources): { stop(): void } {
  const { accounts, clock, log } = resources;
  const timers = new Set<{ cancel(): void }>();
  const failed = (error: unknown) =>
    log.error({ err: error }, 'could not identify a configured account');
  const introduce = async (entry: Config['accounts'][number]) => {
    const identity = await accounts.identifyConfigured(entry.platform, entry.token);
    if (identity.kind === 'known') return;
    // That a platform does not answer is logged where it is asked.
    if (identity.kind === 'unreachable' || identity.kind === 'busy') {
      const timer = clock.schedule(clock.now() + INTRODUCE_RETRY_MS, () => {
        timers.delete(timer);
        void introduce(entry).catch(failed);
      });
      timers.add(timer);
      return;
    }
    const about = { platform: entry.platform, account: entry.name, why: identity.kind };
    log.error(about, 'the platform refuses this account');
  };
  for (const entry of config.accounts) void introduce(entry).catch(failed);
  return {
    stop() {
      for (const timer of timers) timer.cancel();
    },
  };
}

function openSweeper({ periodic, spool, journal }: Resources) {
  return createSweeper({ periodic, spool, inUse: () => journal.filesInUse() });
}

function forgetDeliveries(config: Config, resources: Resources) {
  return openRetention(config, resources, {
    name: 'forget_deliveries',
    days: config.retentionDays,
    deadDays: config.deadDays,
    prune: (step) => resources.journal.prune(step),
  });
}
