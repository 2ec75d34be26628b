import { afterEach, describe, expect, test } from 'vitest';
import { JournalUnavailable } from '../../store/ports/unavailable.ts';
import { ACCOUNT, AUTH, type Bench, bench, START } from '../context.fixture.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start(...settings: Parameters<typeof bench>) {
  open = await bench(...settings);
  return open;
}

const TO = { account: ACCOUNT, chat: '-100' };

type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function ask(at: Bench, method: Verb, path: string, payload?: object | string, type?: string) {
  const headers = type === undefined ? AUTH : { ...AUTH, 'content-type': type };
  const url = `/v1/streams${path}`;
  return at.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

describe('a stream by JSON', () => {
  test('is opened, changed, finished', async () => {
    const at = await start();
    const opened = await ask(at, 'POST', '', { to: TO, text: 'Once', format: 'markdown' });
    expect(opened.statusCode).toBe(201);
    expect(opened.headers.location).toBe('/v1/streams/stream1');
    expect(opened.headers['x-correlation-id']).toBe('stream1');
    expect(opened.json()).toMatchObject({ correlation: 'stream1', state: 'open' });
    expect(opened.json()).toMatchObject({ id: 'stream1', state: 'open', units: 4, finals: [] });
    expect(opened.json()).not.toHaveProperty('text');

    expect((await ask(at, 'PATCH', '/stream1', { append: ' upon' })).json().units).toBe(9);
    expect((await ask(at, 'PATCH', '/stream1', ' a time', 'text/plain')).json().units).toBe(16);
    expect((await ask(at, 'PATCH', '/stream1', { replace: 'Never' })).json().units).toBe(5);
    expect((await ask(at, 'GET', '/stream1')).json()).toMatchObject({ state: 'open', units: 5 });

    const finished = await ask(at, 'POST', '/stream1/final', { append: '.' });
    expect(finished.statusCode).toBe(200);
    expect(finished.json()).toMatchObject({ state: 'finishing', units: 6 });
    expect(finished.json().finals).toEqual([expect.stringMatching(/^\w{5}-6$/)]);
    expect(at.live.streams.get('stream1')!.text).toBe('Never.');
    expect(at.live.changes.every(({ lazy }) => !lazy)).toBe(true);
  });

  test('says all it has to say to the room', async () => {
    const at = await start();
    const to = { ...TO, thread: 7 };
    const body = { reply_parameters: { message_id: 3 } };
    const sendOptions = { session: 's', user: 9, priority: 'high', correlation: 'c', idle: 5 };
    await ask(at, 'POST', '', { to, transport: 'chunks', body, ...sendOptions });
    expect(at.live.opened).toEqual([
      {
        account: ACCOUNT,
        platform: 'telegram',
        chat: '-100',
        thread: '7',
        session: 's',
        user: '9',
        correlation: 'c',
        priority: 'high',
        hasOwnPriority: true,
        format: 'plain',
        transport: 'chunks',
        params: body,
        idleMs: 5000,
        holder: 'admin',
      },
    ]);
  });

  test('has defaults, and the correlation of the header', async () => {
    const at = await start();
    const headers = { ...AUTH, 'x-correlation-id': 'mine' };
    const asked = { method: 'POST', url: '/v1/streams', headers, payload: { to: TO } } as const;
    const opened = await at.app.inject(asked);
    expect(opened.headers['x-correlation-id']).toBe('mine');
    expect(at.live.opened[0]).toMatchObject({
      correlation: 'mine',
      priority: 'normal',
      transport: null,
      idleMs: 120_000,
    });
  });

  test.each([
    [{ to: TO, formt: 'plain' }, '/formt'],
    [{ to: TO, format: 'rtf' }, '/format'],
    [{ to: { chat: 1 } }, '/to/account'],
    [{ to: TO, idle: 0 }, '/idle'],
    [{ to: TO, body: { text: 'x' } }, '/body/text'],
    [{ to: TO, body: { parse_mode: 'HTML' } }, '/body/parse_mode'],
    [{ to: { account: '42', chat: 1 } }, '/to/platform'],
  ])('%j is not understood', async (payload, path) => {
    const at = await start();
    const answer = await ask(at, 'POST', '', payload);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().problems.map((each: { path: string }) => each.path)).toContain(path);
    expect(at.live.opened).toEqual([]);
  });

  test('of an account nobody knows is not opened', async () => {
    const at = await start();
    const answer = await ask(at, 'POST', '', { to: { account: 'telegram:7', chat: 1 } });
    expect(answer.json().code).toBe('unknown_account');
  });

  test('is one of so many', async () => {
    const at = await start();
    at.live.streamsMax = 1;
    await ask(at, 'POST', '', { to: TO });
    const answer = await ask(at, 'POST', '', { to: TO });
    expect(answer.statusCode).toBe(429);
    expect(answer.json()).toMatchObject({ code: 'streams_full', streamsMax: 1 });
  });

  test('that begins too long is not left open', async () => {
    const at = await start();
    const answer = await ask(at, 'POST', '', { to: TO, text: 'x'.repeat(1001) });
    expect(answer.statusCode).toBe(413);
    expect(at.live.list()).toEqual([]);
  });

  test.each([[{}], [{ append: 'a', replace: 'b' }], [{ append: 1 }], [{ add: 'a' }]])(
    'is not changed by %j',
    async (payload) => {
      const at = await start();
      await ask(at, 'POST', '', { to: TO });
      expect((await ask(at, 'PATCH', '/stream1', payload)).statusCode).toBe(422);
      expect(at.live.changes).toEqual([]);
    },
  );

  test('that is unknown, ended, too long or cannot be finished says so', async () => {
    const at = await start();
    await ask(at, 'POST', '', { to: TO });
    const codes = async (path: string, payload: object) => {
      const answer = await ask(at, path.endsWith('final') ? 'POST' : 'PATCH', path, payload);
      return [answer.statusCode, answer.json().code];
    };
    expect(await codes('/nobody', { append: 'x' })).toEqual([404, 'unknown_stream']);
    expect(await codes('/nobody/final', {})).toEqual([404, 'unknown_stream']);
    expect(await codes('/stream1', { append: 'x'.repeat(1001) })).toEqual([413, 'stream_too_long']);
    // Only no body at all stands for an empty one.
    const nothing = await ask(at, 'POST', '/stream1/final', 'null', 'application/json');
    expect([nothing.statusCode, nothing.json().code]).toEqual([422, 'invalid_message']);
    at.live.isQueueFull = true;
    expect(await codes('/stream1/final', {})).toEqual([429, 'queue_full']);
    at.live.isQueueFull = false;
    at.live.failure = new JournalUnavailable('disk_full', 'no space');
    expect(await codes('/stream1', { append: 'x' })).toEqual([503, 'disk_full']);
    at.live.failure = null;
    expect((await ask(at, 'POST', '/stream1/final')).statusCode).toBe(200);
    expect(await codes('/stream1', { append: 'x' })).toEqual([409, 'stream_ended']);
    expect((await ask(at, 'GET', '/nobody')).json().code).toBe('unknown_stream');
  });

  test('is cancelled, once', async () => {
    const at = await start();
    await ask(at, 'POST', '', { to: TO });
    expect((await ask(at, 'DELETE', '/stream1')).json().state).toBe('cancelled');
    const again = await ask(at, 'DELETE', '/stream1');
    expect(again.statusCode).toBe(409);
    expect(again.json().stream.state).toBe('cancelled');
  });

  test('is listed while it is open', async () => {
    const at = await start();
    await ask(at, 'POST', '', { to: TO, session: 'a' });
    await ask(at, 'POST', '', { to: TO, session: 'b', correlation: 'c' });
    await ask(at, 'POST', '/stream1/final');
    const ids = async (query: string) =>
      (await ask(at, 'GET', query)).json().streams.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual(['stream2']);
    expect(await ids('?correlation=c&chat=-100')).toEqual(['stream2']);
    expect(await ids('?session=a')).toEqual([]);
    expect((await ask(at, 'GET', '?sesion=a')).json().code).toBe('invalid_query');
  });

  test('is waited for', async () => {
    const at = await start();
    await ask(at, 'POST', '', { to: TO });
    at.live.onWait = () => at.live.arrive('stream1');
    const arrived = await ask(at, 'POST', '/stream1/final', { append: 'x', wait: 5 });
    expect(arrived.json().state).toBe('done');

    await ask(at, 'POST', '', { to: TO });
    at.live.onWait = () => void at.clock.run(START + 5000);
    const late = await ask(at, 'POST', '/stream2/final', { wait: 5 });
    expect([late.statusCode, late.json().state]).toEqual([200, 'finishing']);
    expect((await ask(at, 'POST', '/stream2/final', { wait: 301 })).statusCode).toBe(422);
  });
});
