// Callers that wait, and calls that are passed on, are bounded in all: beyond it they are told to come back, at once
// and with nothing queued. The bounds are made small here, so that a few callers are a crowd; each comes from an
// account and an address of its own, so that no bound of one account or one address is what stops them.

import { beforeEach, describe, expect, test } from 'vitest';
import { AUTH, type Bench, bench } from './context.fixture.ts';
import { PASSING_MAX, WAITING_MAX } from './context.ts';

const PLACES = 16;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: number;
}

let at: Bench;
let held = 0;
let onHeld = () => {};

beforeEach(async () => {
  at = await bench({ waitingMax: PLACES, passingMax: PLACES });
  held = 0;
  for (let n = 0; n < 2 * PLACES; n++) await at.accounts.identify('telegram', tokenOf(n));
});

const tokenOf = (n: number) => `${1_000 + n}:good-token`;

function ask(
  n: number,
  request: { url: string; payload?: object; headers?: object },
): Promise<Answer> {
  return at.app
    .inject({ method: 'POST', ...request, remoteAddress: `10.0.0.${n}` } as object)
    .then((one) => ({
      status: one.statusCode,
      body: one.body,
      retryAfter: Number(one.headers['retry-after']),
    }));
}

const holds = () => {
  held += 1;
  onHeld();
};

// 'held', or what it was answered at once.
function outcome(come: () => Promise<Answer>): Promise<'held' | Answer> {
  const isHeld = new Promise<'held'>((resolve) => {
    onHeld = () => resolve('held');
  });
  return Promise.race([isHeld, come()]);
}

// One after another until one is answered at once; all before it are held.
async function crowd(come: (n: number) => Promise<Answer>) {
  const callers: Promise<Answer>[] = [];
  for (let n = 0; n < 2 * PLACES; n++) {
    const end = await outcome(() => {
      const caller = come(n);
      callers.push(caller);
      return caller;
    });
    if (end !== 'held') return { refused: end, callers };
  }
  return { refused: null, callers };
}

describe('callers who wait for a result', () => {
  const send = (n: number) =>
    ask(n, { url: `/bot${tokenOf(n)}/sendMessage`, payload: { chat_id: 7, text: 'hello' } });

  beforeEach(() => {
    at.road.onWait = holds;
  });

  test('are bounded: the next is told to come back, and nothing of it is queued', async () => {
    const { refused } = await crowd(send);
    expect(refused).toMatchObject({ status: 429 });
    expect(refused!.retryAfter).toBeGreaterThan(0);
    expect(held).toBeGreaterThanOrEqual(PLACES / 4);
    expect(held).toBeLessThanOrEqual(PLACES);
    expect(at.road.submitted).toHaveLength(held);
  });

  test('of the REST API get their receipt at once instead; the message is accepted all the same', async () => {
    const { refused } = await crowd((n) => {
      const to = { platform: 'telegram', account: `telegram:${1_000 + n}`, chat: '-100' };
      const payload = { to, body: { text: 'hello' }, wait: 10 };
      return ask(n, { url: '/v1/messages', payload, headers: AUTH });
    });
    expect(refused).toMatchObject({ status: 202 });
    expect(held).toBeLessThanOrEqual(PLACES);
    expect(at.road.submitted).toHaveLength(held + 1);
  });

  test('leave their place when their message is over', async () => {
    const { callers } = await crowd(send);
    at.road.end(1, 'sent', { result: '{"ok":true,"result":{}}' });
    expect(await callers[0]).toMatchObject({ status: 200 });
    expect(await outcome(() => send(30))).toBe('held');
    expect(await outcome(() => send(31))).toMatchObject({ status: 429 });
  });
});

describe('calls that are passed on', () => {
  const poll = (n: number) => ask(n, { url: `/bot${tokenOf(n)}/getUpdates` });

  test('are bounded: the next is told to come back, and is not passed on', async () => {
    at.hold = holds;
    const { refused } = await crowd(poll);
    expect(refused).toMatchObject({ status: 429, retryAfter: 1 });
    expect(held).toBeGreaterThanOrEqual(PLACES / 4);
    expect(held).toBeLessThanOrEqual(PLACES);
    expect(at.passed).toHaveLength(held);
  });

  test('leave their place when they are answered, whatever the answer is', async () => {
    for (const answer of [at.answer, { kind: 'unsent', reason: 'refused', detail: '' } as const]) {
      at.answer = answer;
      for (let n = 0; n < 2 * PLACES; n++) {
        expect((await poll(n)).status).not.toBe(429);
      }
    }
  });
});

test('the bounds that are shipped are bounds', () => {
  // A waiting caller costs some tens of kilobytes, a call passed on a socket.
  expect(WAITING_MAX).toBeLessThanOrEqual(50_000);
  expect(PASSING_MAX).toBeLessThanOrEqual(5_000);
});
