// The whole drop-in in one process and one virtual minute: dialect, road and a simulated Telegram, on a clock that
// moves only when told to. A call is made, the time runs, and the chat shows what a reader would see.

import { Accounts } from '../../src/accounts/accounts.ts';
import { createEngine } from '../../src/app/delivery.ts';
import { type Config, defaultConfig } from '../../src/config/config.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { HttpParts } from '../../src/http/context.ts';
import { createServer } from '../../src/http/server.ts';
import { NO_SCOPE, openGuards } from '../../src/keys/keys.ts';
import { virtualToken as tokenOf } from '../../src/platforms/telegram/credentials.ts';
import { createTelegram, telegramPriors } from '../../src/platforms/telegram/telegram.ts';
import {
  createTelegramModel,
  type Exchange,
  scriptedFaults,
  simTransport,
} from '../../src/sim/sim.ts';
import { createMemoryDisk, createMemoryStore } from '../../src/store/memory/memory.ts';
import { Periodic } from '../../src/system/periodic.ts';
import { seededRandom } from '../../src/system/random.ts';
import { virtualClock } from '../../src/system/virtual-clock.ts';
import { createMetrics } from '../../src/telemetry/metrics/metrics.ts';

export const TOKEN = '42:AAtoken';
const START = 1_900_000_000_000;
const NETWORK = { latencyMs: 20, jitterMs: 0 };

// Turns of the loop a request may take from its caller to the road, and an answer back.
const ARRIVAL_TURNS = 50;

async function arrivals(): Promise<void> {
  for (let i = 0; i < ARRIVAL_TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
}

export type DropIn = Awaited<ReturnType<typeof dropIn>>;

export async function dropIn(
  changes: Partial<Config> = {},
  disk = createMemoryDisk(),
  model = createTelegramModel({}),
  startAt = START,
) {
  const config = { ...defaultConfig(), ...changes };
  const clock = virtualClock(startAt);
  const random = seededRandom(1);
  const faults = scriptedFaults([]);
  const made: Exchange[] = [];
  const onExchange = (exchange: Exchange) => {
    if (exchange.method !== 'getMe') made.push(exchange);
  };
  const network = NETWORK;
  const transport = simTransport({ model, clock, random, network, faults, onExchange });
  const telegram = createTelegram({ transport });
  const platforms = new Map([[telegram.name, telegram]]);
  const { journal, ledger } = createMemoryStore(disk);
  const accounts = await Accounts.open({ clock, journal, platforms, secret: 'secret' });
  const identified = accounts.identify(telegram.name, TOKEN);
  await clock.run(clock.now() + 100);
  await identified;
  const priors = telegramPriors({});
  const periodic = new Periodic(clock);
  const engine = createEngine({
    ...{ journal, ledger, clock, periodic, random, settings: config },
    accounts: {
      platformOf: () => ({ platform: telegram, priors, host: telegram.name, settings: config }),
      get: (id) => accounts.get(id),
      list: () => accounts.list(),
      credentialOf: (id) => accounts.credentialOf(id),
      setRefused: (id, reason) => accounts.setRefused(id, reason),
      setPaused: (id, paused) => accounts.setPaused(id, paused),
    },
    report: (_stage, error) => {
      throw error;
    },
    fatal: (error) => {
      throw error;
    },
  });
  const options: HttpParts = {
    ...{ clock, periodic, road: engine.road, ledger, tag: journal.tag, accounts, platforms },
    guards: await openGuards({ clock, journal, adminKey: 'key', virtualToken: tokenOf }),
    health: async () => ({}),
    metrics: createMetrics({ process: false }),
    log: { warn: () => {}, error: () => {} },
    // No call of these tests has files.
    spool: { receive: async () => ({ kind: 'full' }), unpin: () => {}, discard: () => {} },
    late: { observers: 0 },
    version: '0.0.0',
    sandboxes: new Map(),
    settings: {
      host: config.host,
      allowedHosts: [],
      bodyBytesMax: config.bodyBytesMax,
      uploadBytesMax: config.uploadBytesMax,
      batchMax: config.batchMax,
      waitSMax: config.waitSMax,
      deadlineMs: config.deadlineMs,
      wait: config.wait,
      dropInCures: config.dropInCures,
      metrics: false,
      queueMaxOf: () => config.queueMax,
      trustedProxies: [],
      connectionsMax: 1000,
      streamThoughts: false,
    },
  };
  const app = createServer(options);
  // The callers' ends of the line, in the order they came.
  const lines: { emit(event: 'close'): boolean }[] = [];
  app.addHook('onRequest', async (_request, reply) => void lines.push(reply.raw));
  await app.ready();
  await engine.dispatch.start();
  const run = async (ms: number) => {
    await arrivals();
    await clock.run(clock.now() + ms);
    await arrivals();
  };
  let calls = 0;
  const call = async (
    method: string,
    params: object,
    headers: Record<string, string> = {},
    token = TOKEN,
  ) => {
    calls += 1;
    const answer = await app.inject({
      method: 'POST',
      url: `/bot${token}/${method}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(params),
    });
    return { status: answer.statusCode, headers: answer.headers, ...answer.json() };
  };
  // Made by a client that gives up a moment later.
  const abandon = async (...made: Parameters<typeof call>) => {
    const line = calls;
    const lost = call(...made).catch(() => {});
    await run(5);
    lines[line]!.emit('close');
    await lost;
  };
  // Made, and answered within the time.
  const answer = async (...made: Parameters<typeof call>) => {
    const answered = call(...made);
    await run(30_000);
    return answered;
  };
  // Of the same bot.
  const virtualToken = async (name: string) => {
    const account: AccountId = `telegram:${TOKEN.split(':', 1)[0]}`;
    const scope = { ...NO_SCOPE, accounts: [account] };
    const asked = { kind: 'virtual', name, role: 'sender', expiresAt: null, scope } as const;
    const created = await options.guards.keyring.create(asked);
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.secret;
  };
  const texts = (chat: number | string) =>
    model
      .messagesOf(String(chat))
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ text }) => text);
  return {
    app,
    call,
    answer,
    abandon,
    run,
    clock,
    model,
    faults,
    made,
    texts,
    disk,
    ledger,
    engine,
    virtualToken,
  };
}
