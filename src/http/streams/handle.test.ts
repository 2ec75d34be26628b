import { afterEach, expect, test } from 'vitest';
import { ACCOUNT, type Bench, bench } from '../context.fixture.ts';
import { streaming } from './handle.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

async function start() {
  open = await bench();
  const { app, live, options } = open;
  const stream = streaming((stop) => app.addHook('preClose', async () => stop()), {
    ...options,
    ...options.output!,
    idleMs: 1000,
  });
  return { at: open, live, stream };
}

const request = { to: { account: ACCOUNT, chat: 7 } };

async function* words(...all: string[]) {
  yield* all;
}

test('a handle does what the routes do', async () => {
  const { live, stream } = await start();
  const handle = await stream({ ...request, text: 'a' });
  if ('code' in handle) throw new Error(handle.detail);
  expect(await handle.append('b')).toMatchObject({ units: 2, state: 'open' });
  expect(await handle.replace('xyz')).toMatchObject({ units: 3 });
  expect(await handle.view()).toMatchObject({ id: handle.id, state: 'open' });
  live.onWait = () => live.arrive(handle.id);
  expect(await handle.final('!', { wait: 1 })).toMatchObject({ state: 'done', units: 4 });
  expect(live.streams.get(handle.id)!.text).toBe('xyz!');
  expect(await handle.append('late')).toMatchObject({ code: 'stream_ended' });
  expect(await handle.cancel()).toMatchObject({ code: 'stream_ended' });
});

test('a source is poured in, and finished at its end', async () => {
  const { live, stream } = await start();
  const ended = await stream(request, words('Once', ' upon', ' a time'));
  expect(ended).toMatchObject({ state: 'finishing', units: 16 });
  expect(live.streams.get('stream1')!.text).toBe('Once upon a time');
});

test('a source that comes again under its key is not read', async () => {
  const { live, stream } = await start();
  const keyed = { ...request, idempotencyKey: 'k' };
  await stream(keyed, words('Once'));
  expect(await stream(keyed, words('Once'))).toMatchObject({ id: 'stream1', units: 4 });
  expect(live.streams.get('stream1')!.text).toBe('Once');
});

test('a source that fails is finished with what it had, and its error is thrown on', async () => {
  const { live, stream } = await start();
  const failing = async function* () {
    yield 'half';
    throw new Error('overloaded');
  };
  await expect(stream(request, failing())).rejects.toThrow('overloaded');
  expect(live.streams.get('stream1')).toMatchObject({ state: 'finishing', text: 'half' });
});

test('a source that says too much is asked no further, and told so', async () => {
  const { live, stream } = await start();
  live.unitsMax = 5;
  let isLeft = false;
  const endless = async function* () {
    try {
      for (;;) yield 'abc';
    } finally {
      isLeft = true;
    }
  };
  expect(await stream(request, endless())).toMatchObject({
    code: 'stream_too_long',
    stream: { units: 3, state: 'finishing' },
  });
  expect(isLeft).toBe(true);
});

test('refusals are values, and open nothing', async () => {
  const { live, stream } = await start();
  const wrong = { ...request, format: 'rtf' } as unknown as typeof request;
  expect(await stream(wrong)).toMatchObject({ code: 'invalid_message' });
  expect(await stream(request, words('x'), { wait: 1e9 })).toMatchObject({
    code: 'invalid_message',
  });
  expect(live.opened).toEqual([]);
});

test('whoever waits is answered when the gateway closes', async () => {
  const { at, live, stream } = await start();
  const waits = new Promise<void>((resolve) => {
    live.onWait = resolve;
  });
  const ended = stream(request, words('x'), { wait: true });
  await waits;
  await at.app.close();
  expect(await ended).toMatchObject({ state: 'finishing' });
});
