// What callers are told of what was accepted while the store says nothing.

import { expect, test } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { bench, KEY, message } from './context.fixture.ts';

const headers = { host: '127.0.0.1', authorization: `Bearer ${KEY}` };
const away = async () => {
  throw new JournalUnavailable('journal_failed', 'the database does not answer');
};

function unread(): Partial<Ledger> {
  return { ...createMemoryStore().ledger, get: away };
}

test('who waited for its time is told that it is accepted', async () => {
  const { app, clock } = await bench({}, [], { ledger: unread() as Ledger });
  const payload = message({ wait: 1 });
  const answer = app.inject({ method: 'POST', url: '/v1/messages', headers, payload });
  for (let n = 0; n < 20; n++) await clock.run(clock.now() + 100);
  const { statusCode, body } = await answer;
  expect(statusCode).toBe(202);
  expect(JSON.parse(body)).toMatchObject({ state: 'queued' });
});

test('a repeat is told which one it repeats', async () => {
  const { app } = await bench({}, [], { ledger: unread() as Ledger });
  const said = () =>
    app.inject({
      method: 'POST',
      url: '/v1/messages',
      headers: { ...headers, 'idempotency-key': 'k' },
      payload: message(),
    });
  const first = JSON.parse((await said()).body) as { id: string };
  const again = await said();
  expect(again.statusCode).toBe(202);
  expect(JSON.parse(again.body)).toMatchObject({ id: first.id, repeated: true });
});

test('the end is asked for until it can be read', async () => {
  const { app, clock, road } = await bench();
  const { ended } = road;
  let asked = 0;
  road.ended = (seq, signal) => {
    asked += 1;
    return asked < 4 ? away() : ended.call(road, seq, signal);
  };
  road.onWait = (seq) => road.end(seq, 'sent', { messageId: '7' });
  const payload = message({ wait: 10 });
  const answer = app.inject({ method: 'POST', url: '/v1/messages', headers, payload });
  for (let n = 0; n < 20; n++) await clock.run(clock.now() + 100);
  const { statusCode, body } = await answer;
  expect(statusCode).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ state: 'sent', messageId: '7' });
});

test('what cannot be taken back now is not said to have failed: its caller goes on waiting', async () => {
  const { app, clock, road } = await bench();
  let seq = 0;
  road.onWait = (waited) => {
    seq = waited;
  };
  road.move = away;
  const answer = app.inject({
    method: 'POST',
    url: '/bot42:good-token/sendMessage',
    headers: { host: '127.0.0.1', prefer: 'wait=1' },
    payload: { chat_id: 1, text: 'a' },
  });
  for (let n = 0; n < 50; n++) await clock.run(clock.now() + 100);
  road.end(seq, 'sent', { result: '{"ok":true,"result":{"message_id":7}}' });
  await clock.run(clock.now() + 100);
  expect((await answer).statusCode).toBe(200);
});
