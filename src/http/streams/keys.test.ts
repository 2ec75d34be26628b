import { afterEach, expect, test } from 'vitest';
import { ownKey } from '../../domain/idempotency.ts';
import { ACCOUNT, AUTH, type Bench, bench } from '../context.fixture.ts';

let open: Bench | null = null;
afterEach(async () => {
  await open?.app.close();
  open = null;
});

const TO = { account: ACCOUNT, chat: '-100' };
const KEYED = { ...AUTH, 'idempotency-key': 'answer-7' };

async function start() {
  open = await bench();
  const { app, live } = open;
  const json = (payload: object, headers = AUTH) =>
    app.inject({ method: 'POST', url: '/v1/streams', headers, payload });
  const body = (payload: string) =>
    app.inject({
      method: 'PUT',
      url: `/v1/streams?account=${ACCOUNT}&chat=-100`,
      headers: { ...KEYED, 'content-type': 'text/plain' },
      payload,
    });
  return { live, json, body };
}

test('a stream that was opened before is not opened again, and begins once', async () => {
  const { live, json } = await start();
  const first = await json({ to: TO, text: 'Once' }, KEYED);
  const second = await json({ to: TO, text: 'Once' }, KEYED);
  const third = await json({ to: TO, text: 'Once', idempotencyKey: 'answer-7' });
  expect([first, second, third].map(({ statusCode }) => statusCode)).toEqual([201, 200, 200]);
  expect(second.json()).toEqual(first.json());
  expect(third.headers.location).toBe(first.headers.location);
  expect(live.opened.map(({ key }) => key)).toEqual([ownKey('admin', 'answer-7')]);
  expect(live.changes).toHaveLength(1);
});

test('one that was opened and never begun begins now', async () => {
  const { live, json } = await start();
  await json({ to: TO }, KEYED);
  expect((await json({ to: TO, text: 'Once' }, KEYED)).json()).toMatchObject({ units: 4 });
  expect(live.opened).toHaveLength(1);
});

test('another text under the same key is refused', async () => {
  const { live, json } = await start();
  const { id } = (await json({ to: TO }, KEYED)).json();
  const other = await json({ to: TO, format: 'html' }, KEYED);
  expect(other.statusCode).toBe(409);
  expect(other.json()).toMatchObject({ code: 'idempotency_conflict', id });
  expect(live.opened).toHaveLength(1);
});

test('a body that comes again is not shown again', async () => {
  const { live, body } = await start();
  const first = await body('all of it');
  const again = await body('all of it');
  expect(again.statusCode).toBe(200);
  expect(again.json()).toEqual(first.json());
  expect(live.streams.get('stream1')!.text).toBe('all of it');
});

test('observers have no key of their own', async () => {
  const { live, json } = await start();
  const observers = [{ ...TO, chat: '-200' }];
  await json({ to: { origin: TO, observers } }, KEYED);
  const [origin] = live.opened;
  expect(origin!.key).toBe(ownKey('admin', 'answer-7'));
  expect(await origin!.observers![0]).not.toHaveProperty('key');
});
