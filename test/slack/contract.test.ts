// Slack's contract against its simulator, in process and over real HTTP.

import type { PlatformFixture, Weather } from '../../src/platforms/platform.contract.ts';
import { createSlack } from '../../src/platforms/slack/slack.ts';
import { SLACK_SIMULATOR, type SlackModel } from '../../src/sim/sim.ts';
import { type SimulatedWire, simulatedContract, stoppedClock } from '../platforms/simulated.ts';

const SECRET = 'verysecretverysecretverysecret';
const APP = '12345-67890';
const TOKEN = `xoxb-${APP}-${SECRET}`;
const CHANNEL = 'C0123456789';
const THREAD = '1700000000.000100';
const WAIT_S = 35;

function slack({ transport, model, faults, unplug }: SimulatedWire<SlackModel>): PlatformFixture {
  const params = { channel: CHANNEL, thread_ts: THREAD, text: 'hello' };
  const change: Record<Weather, () => void> = {
    fine: () => {},
    limited: () => model.freeze(TOKEN, CHANNEL, WAIT_S, stoppedClock.now()),
    refused: () => model.setChat(CHANNEL, { kind: 'blocked' }),
    account_refused: () => model.revoke(TOKEN),
    lost: () => faults.add({ fault: { kind: 'answer_lost' } }),
    unsent: unplug,
  };
  const edit = { channel: CHANNEL, ts: '1700000000.000200', text: 'new' };
  const { posted, messageId } = model.inject(TOKEN, CHANNEL, 'hi', stoppedClock.now());
  return {
    platform: createSlack({ transport, sandbox: null, clock: stoppedClock }),
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

simulatedContract('slack', SLACK_SIMULATOR, slack);
