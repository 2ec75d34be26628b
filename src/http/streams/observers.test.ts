import { afterEach, expect, test } from 'vitest';
import type { Calls, Wire } from '../../platforms/platform.ts';
import { createTerminal, Screens } from '../../platforms/terminal/terminal.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { ACCOUNT, AUTH, type Bench, bench, START } from '../context.fixture.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(broken: Partial<Wire> & Partial<Calls> = {}): Promise<Bench> {
  const platform = createTerminal(new Screens(virtualClock(START)));
  const calls = { ...platform.calls, ...broken };
  open = await bench({}, [{ ...platform, calls, wire: { ...platform.wire, ...broken } }]);
  return open;
}

const ORIGIN = { account: ACCOUNT, chat: '-100' };
const SCREEN = { account: 'terminal:local', chat: 'build' };

function post(at: Bench, to: object, extra: object = {}) {
  const payload = { to, ...extra };
  return at.app.inject({ method: 'POST', url: '/v1/streams', headers: AUTH, payload });
}

test('observers get the same stream on their own targets, without what only the origin has', async () => {
  const at = await start();
  const same = { account: ACCOUNT, chat: '7' };
  const body = { reply_parameters: { message_id: 5 }, link_preview_options: {} };
  const asked = { body, transport: 'edit', format: 'markdown', session: 's', correlation: 'c' };
  const answer = await post(at, { origin: ORIGIN, observers: [SCREEN, same] }, asked);
  expect(answer.statusCode).toBe(201);
  const [{ observers = [], ...origin }] = at.live.opened as [(typeof at.live.opened)[0]];
  expect(origin).toMatchObject({ chat: '-100', params: body, transport: 'edit' });
  const sendOptions = { format: 'markdown', session: 's', correlation: 'c' };
  expect(await Promise.all(observers)).toMatchObject([
    {
      account: 'terminal:local',
      platform: 'terminal',
      chat: 'build',
      transport: null,
      ...sendOptions,
    },
    { account: ACCOUNT, chat: '7', transport: 'edit', ...sendOptions },
  ]);
  const params = (await Promise.all(observers)).map((one) => one?.params);
  expect(params).toEqual([{}, { link_preview_options: {} }]);
});

test('a platform that does not answer, an unknown account, a mistake of ours: the origin is opened', async () => {
  const at = await start({ identify: () => new Promise(() => {}) });
  const unknown = { account: 'telegram:99', chat: 1 };
  const answer = await post(
    at,
    { origin: ORIGIN, observers: [SCREEN, unknown] },
    { correlation: 'c' },
  );
  expect(answer.statusCode).toBe(201);
  expect(await at.live.opened[0]!.observers![1]).toBeNull();
  expect(at.logged).toEqual([
    { platform: 'telegram', correlation: 'c', observer: 1, code: 'unknown_account' },
  ]);
  await at.app.close();
  const broken = await start({
    describe: () => {
      throw new TypeError('our mistake');
    },
  });
  expect((await post(broken, { origin: ORIGIN, observers: [SCREEN] })).statusCode).toBe(201);
  expect(await broken.live.opened[0]!.observers![0]).toBeNull();
});

test('a wrong fan-out is refused with the place', async () => {
  const at = await start();
  const wrong = await post(at, { origin: ORIGIN, observers: [{ chat: 1 }] });
  expect(wrong.json()).toMatchObject({
    code: 'invalid_message',
    problems: [{ path: '/to/observers/0/account' }],
  });
  expect(at.live.opened).toEqual([]);
});
