import { afterEach, describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  AUTH,
  type Bench,
  bench,
  message,
  SETTINGS,
  START,
} from '../http/context.fixture.ts';
import type { Calls, Identified, Wire } from '../platforms/platform.ts';
import { createTerminal, Screens } from '../platforms/terminal/terminal.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { OBSERVERS_LATE_MAX, OBSERVERS_MS_MAX } from './context.ts';

const ORIGIN = { account: ACCOUNT, chat: '-100' };
const SCREEN = { account: 'terminal:local' as const, chat: 'build' };

const open: Bench[] = [];
afterEach(async () => {
  for (const { app } of open.splice(0)) await app.close();
});

async function start(broken: Partial<Wire> & Partial<Calls> = {}): Promise<Bench> {
  const platform = createTerminal(new Screens(virtualClock(START)));
  const calls = { ...platform.calls, ...broken };
  const at = await bench({}, [{ ...platform, calls, wire: { ...platform.wire, ...broken } }]);
  open.push(at);
  return at;
}

function post(
  at: Bench,
  observers: readonly object[],
  extra: object = {},
  origin: object = ORIGIN,
) {
  const payload = message({ to: { origin, observers }, ...extra });
  return at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload });
}

const bodies = (at: Bench) => at.road.submitted.map(({ body }) => JSON.parse(body));

describe('copies', () => {
  test('an observer on another platform gets it in plain words', async () => {
    const at = await start();
    const body = { text: '<b>done</b> &amp; dusted', parse_mode: 'HTML' };
    const answer = await post(at, [SCREEN], { body, session: 's', correlation: 'c' });
    const { tag } = at.journal;
    expect(answer.json()).toMatchObject({ id: `${tag}-1`, observers: [{ id: `${tag}-2` }] });
    expect(bodies(at)).toEqual([
      { ...body, chat_id: -100 },
      { text: 'done & dusted', chat: 'build' },
    ]);
    expect(at.road.submitted[1]).toMatchObject({
      account: 'terminal:local',
      platform: 'terminal',
      method: 'sendMessage',
      session: 's',
      correlation: 'c',
    });
  });

  test('one on the same platform gets it as it is, but replies to nothing', async () => {
    const at = await start();
    const body = { text: '*a*', parse_mode: 'MarkdownV2', reply_parameters: { message_id: 5 } };
    await post(at, [{ account: ACCOUNT, chat: 7 }], { body });
    expect(bodies(at)[0]).toMatchObject({ reply_parameters: { message_id: 5 } });
    expect(bodies(at)[1]).toEqual({ text: '*a*', parse_mode: 'MarkdownV2', chat_id: 7 });
  });

  test('what cannot be copied is that observer’s problem, and one may bring its own', async () => {
    const at = await start();
    const observers = [
      SCREEN,
      { account: ACCOUNT, chat: 7 },
      { ...SCREEN, body: { text: 'it was edited' } },
      { ...SCREEN, method: 'sendChatAction', body: {} },
    ];
    const edit = { method: 'editMessageText', body: { message_id: 5, text: 'new' } };
    const answer = await post(at, observers, edit);
    expect(answer.statusCode).toBe(202);
    const told = answer.json().observers;
    expect(told).toMatchObject([
      { state: 'not_possible', detail: 'no copy of that message is in its chat' },
      { state: 'not_possible' },
      { state: 'queued' },
      { state: 'queued' },
    ]);
    expect(at.road.submitted.map(({ method }) => method)).toEqual([
      'editMessageText',
      'sendMessage',
      'sendChatAction',
    ]);
    const place = { method: 'sendLocation', body: { latitude: 1, longitude: 2 } };
    const photo = { method: 'sendPhoto', body: { photo: 'id', caption: 'look' } };
    await post(at, [SCREEN], photo);
    expect(at.road.submitted.at(-1)).toMatchObject({ method: 'sendMessage', platform: 'terminal' });
    expect(bodies(at).at(-1)).toEqual({ text: '[photo] look', chat: 'build' });
    const wordless = (await post(at, [SCREEN], place)).json();
    expect(wordless.observers[0].detail).toContain('cannot be put in words for terminal');
  });

  test('the same key again sends nothing again, to nobody', async () => {
    const at = await start();
    const keyed = { idempotencyKey: 'k' };
    const first = (await post(at, [SCREEN, SCREEN], keyed)).json();
    const again = (await post(at, [SCREEN, SCREEN], keyed)).json();
    const ids = [first.id, ...first.observers.map(({ id }: { id: string }) => id)];
    expect(new Set(ids).size).toBe(3);
    expect(again).toMatchObject({
      id: first.id,
      repeated: true,
      observers: first.observers.map(({ id }: { id: string }) => ({ id, repeated: true })),
    });
  });
});

describe('no observer touches the origin', () => {
  test('a full, an unknown and a misnamed one are told in their places', async () => {
    const at = await start();
    const full = { ...SCREEN, account: 'terminal:full' as const };
    const queueMax = SETTINGS.queueMaxOf('telegram:1');
    for (let n = 0; n < queueMax; n++) {
      const payload = message({ to: full });
      await at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload });
    }
    const observers = [full, { account: 'telegram:99', chat: 1 }, { account: 'icq:1', chat: 1 }];
    const answer = await post(at, [...observers, SCREEN]);
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      state: 'queued',
      observers: [
        { code: 'queue_full' },
        { code: 'unknown_account' },
        { code: 'invalid_message' },
        { state: 'queued' },
      ],
    });
  });

  test('what the origin was refused no observer sees', async () => {
    const at = await start();
    for (let n = 0; n < SETTINGS.queueMaxOf('telegram:1'); n++) await post(at, []);
    const before = at.road.submitted.length;
    const answer = await post(at, [SCREEN]);
    expect(answer.json().code).toBe('queue_full');
    expect(at.road.submitted.slice(before).map(({ platform }) => platform)).toEqual(['telegram']);
    expect((await post(at, [SCREEN], {}, { account: 'telegram:9', chat: 1 })).statusCode).toBe(404);
    expect(at.road.submitted).toHaveLength(before + 1);
  });

  test('a store or a mistake of ours that fails a copy fails only the copy', async () => {
    const at = await start({
      describe: () => {
        throw new TypeError('our mistake');
      },
    });
    const answer = await post(at, [SCREEN]);
    expect(answer.statusCode).toBe(202);
    expect(answer.json().observers).toMatchObject([{ code: 'internal' }]);
    expect(at.logged).toMatchObject([{ platform: 'terminal' }]);
    const { submit } = at.road;
    at.road.submit = function (delivery) {
      if (delivery.chat !== '7') return submit.call(this, delivery);
      return Promise.reject(new JournalUnavailable('disk_full', 'full'));
    };
    const next = await post(at, [{ account: ACCOUNT, chat: 7 }]);
    expect(next.json()).toMatchObject({ state: 'queued', observers: [{ code: 'disk_full' }] });
  });
});

describe('a platform that does not say whose the account is', () => {
  function hanging() {
    const asked = Promise.withResolvers<void>();
    const word = Promise.withResolvers<Identified>();
    const identify = () => {
      asked.resolve();
      return word.promise;
    };
    return { asked: asked.promise, word, identify };
  }

  // Resolves when the answer begins to wait for the observers.
  function patienceOf(at: Bench): Promise<void> {
    return new Promise((resolve) => {
      const { schedule } = at.clock;
      at.clock.schedule = (when, run) => {
        if (when === START + OBSERVERS_MS_MAX) resolve();
        return schedule(when, run);
      };
    });
  }

  test('does not hold the origin’s answer; the copy follows', async () => {
    const { asked, word, identify } = hanging();
    const at = await start({ identify });
    const patience = patienceOf(at);
    const answering = post(at, [SCREEN, { account: ACCOUNT, chat: 7 }]);
    await Promise.all([asked, patience]);
    await at.clock.run(START + OBSERVERS_MS_MAX);
    const answer = await answering;
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      state: 'queued',
      observers: [{ state: 'pending' }, { state: 'queued' }],
    });
    expect(at.road.submitted.map(({ chat }) => chat)).toEqual(['-100', '7']);
    const copied = Promise.withResolvers<void>();
    const { submit } = at.road;
    at.road.submit = function (delivery) {
      copied.resolve();
      return submit.call(this, delivery);
    };
    word.resolve({ kind: 'known', id: 'local' });
    await copied.promise;
    expect(at.road.submitted.map(({ chat }) => chat)).toEqual(['-100', '7', 'build']);
  });

  test('a late no is a line in the log', async () => {
    const { asked, word, identify } = hanging();
    const at = await start({ identify });
    const patience = patienceOf(at);
    const answering = post(at, [SCREEN]);
    await Promise.all([asked, patience]);
    await at.clock.run(START + OBSERVERS_MS_MAX);
    const { id } = (await answering).json();
    const told = new Promise<void>((resolve) => {
      const { push } = at.logged;
      at.logged.push = (...items) => {
        resolve();
        return push.apply(at.logged, items);
      };
    });
    word.resolve({ kind: 'refused', status: 401, detail: 'no' });
    await told;
    expect([...at.logged]).toEqual([
      {
        ...{ origin: id, correlation: id, platform: 'terminal', account: null },
        ...{ observer: 0, code: 'account_refused' },
      },
    ]);
  });

  test('who waits for the origin hears what became known meanwhile', async () => {
    const { word, identify } = hanging();
    const at = await start({ identify });
    const isWaiting = new Promise<number>((resolve) => {
      at.road.onWait = resolve;
    });
    const patience = patienceOf(at);
    const answering = post(at, [SCREEN], { wait: true });
    await patience;
    await at.clock.run(START + OBSERVERS_MS_MAX);
    const seq = await isWaiting;
    const copied = Promise.withResolvers<void>();
    const { submit } = at.road;
    at.road.submit = async function (delivery) {
      const appended = await submit.call(this, delivery);
      copied.resolve();
      return appended;
    };
    word.resolve({ kind: 'known', id: 'local' });
    await copied.promise;
    at.road.end(seq, 'sent', { messageId: '77' });
    const answer = await answering;
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ state: 'sent', observers: [{ state: 'queued' }] });
  });

  test('so many may wait for it and no more', async () => {
    const at = await start();
    at.late.observers = OBSERVERS_LATE_MAX;
    const answer = await post(at, [SCREEN]);
    expect(answer.json()).toMatchObject({
      state: 'queued',
      observers: [{ code: 'platform_unreachable' }],
    });
    expect(at.late.observers).toBe(OBSERVERS_LATE_MAX);
  });
});
