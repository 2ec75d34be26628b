// Slack's contract against its simulator, in process and over real HTTP.

import { afterEach } from 'vitest';
import {
  type PlatformFixture,
  platformContract,
  type Weather,
} from '../../src/platforms/platform.contract.ts';
import { createSlack } from '../../src/platforms/slack/slack.ts';
import {
  createSlackModel,
  type FaultScript,
  SLACK_SIMULATOR,
  type SlackModel,
  scriptedFaults,
  serveModel,
  simTransport,
} from '../../src/sim/sim.ts';
import { type Clock, systemClock } from '../../src/system/clock.ts';
import { undiciTransport } from '../../src/system/http.ts';
import { systemRandom } from '../../src/system/random.ts';
import type { Transport } from '../../src/system/transport.ts';

const SECRET = 'verysecretverysecretverysecret';
const APP = '12345-67890';
const TOKEN = `xoxb-${APP}-${SECRET}`;
const CHANNEL = 'C0123456789';
const THREAD = '1700000000.000100';
const WAIT_S = 35;

// Time stands still for the simulator, so that a wait is to the second however busy the machine is.
const real = systemClock();
const NOW = real.now();
const clock: Clock = {
  now: () => NOW,
  schedule: (at, run) => real.schedule(real.now() + at - NOW, run),
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Wire {
  readonly transport: Transport;
  readonly model: SlackModel;
  readonly faults: FaultScript;
  unplug(): void;
}

function slack({ transport, model, faults, unplug }: Wire): PlatformFixture {
  const params = { channel: CHANNEL, thread_ts: THREAD, text: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, CHANNEL, WAIT_S, clock.now()),
    refused: () => model.setChat(CHANNEL, { kind: 'blocked' }),
    account_refused: () => model.revoke(TOKEN),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  const edit = { channel: CHANNEL, ts: '1700000000.000200', text: 'new' };
  const { posted, messageId } = model.inject(TOKEN, CHANNEL, 'hi', clock.now());
  return {
    platform: createSlack({ transport, sandbox: null, clock }),
    credential: TOKEN,
    secret: SECRET,
    accountId: APP,
    message: { method: 'chat.postMessage', params, chat: CHANNEL, thread: THREAD },
    edit: { method: 'chat.update', params: edit },
    read: { method: 'conversations.history', params: { channel: CHANNEL } },
    pending: { method: 'chat.update', params: { ...edit, ts: '-5' } },
    update: {
      value: posted,
      messageId: String(messageId),
      reply: { method: 'chat.postMessage', params: { thread_ts: messageId, text: 'yes' } },
    },
    request: {
      head: {
        verb: 'POST',
        url: '/api/chat.postMessage',
        headers: { authorization: `Bearer ${TOKEN}` },
      },
      body: params,
    },
    // Clients repeat every status but 200 on their own: only those stay that they may.
    noes: {
      isNo: (body) => JSON.parse(body).ok === false,
      statusOf: (status) => ([429, 500, 503].includes(status) ? status : 200),
    },
    retryAfterMs: WAIT_S * 1000,
    next: (weather) => change[weather](),
  };
}

platformContract('slack, simulated in process,', async () => {
  const model = createSlackModel({});
  const faults = scriptedFaults([]);
  const network = { latencyMs: 0, jitterMs: 0 };
  const ports = { model, clock, random: systemRandom(), network, faults };
  const unplug = () => faults.add({ fault: { kind: 'reset_before' } });
  return slack({ transport: simTransport(ports), model, faults, unplug });
});

platformContract('slack, simulated over HTTP,', async () => {
  const faults = scriptedFaults([]);
  const sim = await serveModel(SLACK_SIMULATOR, { host: '127.0.0.1', port: 0, faults, clock });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= sim.close();
    return closed;
  };
  closers.push(close);
  const transport = undiciTransport({ baseUrl: sim.url, connectionsMax: 1 });
  return slack({ transport, model: sim.model, faults, unplug: () => void close() });
});
