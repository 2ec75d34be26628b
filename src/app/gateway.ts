// The gateway: the house with its front door. Starts the rooms in order (road, housekeeping, HTTP) and stops them
// in reverse, within the drain time: calls in flight are finished and answered, the rest stays on disk.

import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { WaitingCallers } from '../accept/callers.ts';
import { FollowUps } from '../accept/follow-up.ts';
import type { FanOutRequest, MessageRequest } from '../accept/schema.ts';
import { awaitResult, claimantOf, prepare, type Receipt, submit } from '../accept/submit.ts';
import { removeAddress, writeAddress } from '../accounts/accounts.ts';
import type { Config } from '../config/config.ts';
import { pageRoutes } from '../dashboard/dashboard.ts';
import type { Problem } from '../domain/errors.ts';
import type { RoadListener } from '../domain/event.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import { type IntakeOptions, WAITING_MAX } from '../http/context.ts';
import { type Dialects, openDialects } from '../http/dialects/dialects.ts';
import { valueProblem } from '../http/edge.ts';
import { callInProcess, type InProcessCall, textParams } from '../http/in-process.ts';
import { createServer } from '../http/server.ts';
import { type Streaming, streaming } from '../http/streams/handle.ts';
import type { AskedRoad } from '../road/road.ts';
import { createSweeper } from '../spool/sweeper.ts';
import { drained } from '../system/service.ts';
import { createQueueLog, type WorkerDepth } from '../telemetry/log/queue-log.ts';
import { followRoad } from '../telemetry/log/road-log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics/metrics.ts';
import { openGuarded } from './auth.ts';
import { type BroadcastCalls, broadcastCalls, openBroadcasts } from './broadcasts.ts';
import { fillMetrics, readHealth } from './health.ts';
import { type IngestRoom, openIngest } from './ingest.ts';
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
// What POST /v1/messages takes.
export type GatewayMessage = MessageRequest | FanOutRequest;

export interface Gateway extends BroadcastCalls {
  // null until listen().
  readonly url: string | null;
  listen(): Promise<string>;
  // Logs a browser in to the page, once; null until listen().
  loginLink(): string | null;
  // Whether tokens of the form `<digits>:sandbox…` are served.
  readonly hasSandbox: boolean;
  // Durable when it resolves; with `wait` it resolves when the message has come to its end, or the time is over.
  send(message: GatewayMessage): Promise<Receipt | Problem>;
  // A text that grows: a handle to it, or all of it from a source; see docs/use/streams.md.
  readonly stream: Streaming;
  // A platform's own call, with the platform's own answer, as its dialect gives it over HTTP; null: not a call that
  // sends.
  call(call: InProcessCall): Promise<unknown>;
  // Answers how to stop listening.
  events(listener: RoadListener): () => void;
  // By account id; false: no such account.
  pause(account: string): Promise<boolean>;
  resume(account: string): Promise<boolean>;
  // Within `drainMsMax`: finishes what is in flight; the rest stays on disk.
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
  const server = openServer(options, waiting, dialects);
  const keepers = [forgetDeliveries(config, house), openSweeper(house), guarding];
  const queueLog = openQueueLog(house);
  await startRoad(house);
  const parts = [live, broadcasts, ingest, arrivals.inbound, ...keepers, queueLog];
  for (const part of parts) await part.start();
  const introducing = introduceAccounts(config, house);
  let url: string | null = null;
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
    await queueLog.stop(0);
    await closeDoors(house, server, stepMs);
    for (const keeper of keepers) await keeper.stop(stepMs);
    if (url !== null) removeAddress(config.data);
    await house.close();
  };
  return {
    get url() {
      return url;
    },
    async listen() {
      url = await listen(config, server);
      noteAddress(config, house, url);
      return url;
    },
    hasSandbox: house.sandbox !== null,
    loginLink: () => (url === null ? null : guarding.linkAt(url)),
    send: (message) => send(options, waiting, message),
    stream: streaming(server, { ...options, ...live.output }),
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

async function listen({ host, port: asked }: Config, server: FastifyInstance): Promise<string> {
  await server.listen({ host, port: asked });
  const { address, port, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

// For the commands, which find it beside the admin key. Without it they ask for a key.
function noteAddress({ data }: Config, { log }: House, url: string): void {
  try {
    writeAddress(data, url);
  } catch (error) {
    log.warn({ err: error }, 'could not note the address in the data folder');
  }
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

function openServer(
  options: IntakeOptions,
  waiting: WaitingCallers,
  dialects: Dialects,
): FastifyInstance {
  const server = createServer(options, waiting, dialects);
  pageRoutes(server, { log: options.log });
  return server;
}

async function call(house: House, dialects: Dialects, made: InProcessCall): Promise<unknown> {
  const platform = house.platforms.get(made.platform);
  if (platform === undefined) throw new TypeError(`no platform is called ${made.platform}`);
  const described = platform.calls.describe(made.method, textParams(made.params));
  return described.kind === 'pass' ? null : callInProcess(dialects, made);
}

// A long poll, or a platform that hangs, must not hold the end up: what the grace does not finish is cut off, and a
// call that was cut off is settled as in doubt.
async function closeDoors(house: House, server: FastifyInstance, graceMs: number): Promise<void> {
  const { clock, engine } = house;
  const closed = server.close();
  await drained(clock, [closed], graceMs);
  await house.hangUp();
  await engine.dispatch.stop(graceMs);
  await drained(clock, [closed], graceMs);
  server.server.closeAllConnections();
  await closed;
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
    sandbox: house.sandbox,
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
