import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { About, RoadEvent, RoadListener } from '../../domain/event.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Role } from '../../domain/role.ts';
import { ADMIN, type Holder } from '../../keys/keys.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { AUTH, bench } from '../context.fixture.ts';
import { EVENT_BACKLOG_BYTES_MAX, EVENT_HEARTBEAT_MS } from '../context.ts';
import { EventReaders, Readers, type ReadersOptions } from './events.ts';

const about: About = {
  seq: 1,
  id: 'abcde-1',
  correlation: 'order 9',
  account: 'telegram:42',
  chat: '-100',
  lane: '',
  method: 'sendMessage',
  priority: 'normal',
};
const accepted = (changes: Partial<About> = {}): RoadEvent => ({
  kind: 'accepted',
  at: 1_900_000_000_000,
  about: { ...about, ...changes },
});

class FakeResponse {
  text = '';
  ended = false;
  writableLength = 0;
  close: () => void = () => {};
  write(text: string) {
    this.text += text;
  }
  end(text: string) {
    this.text += text;
    this.ended = true;
  }
  once(_event: string, run: () => void) {
    this.close = run;
  }
}

function open(clock = virtualClock(0)) {
  const listeners = new Set<RoadListener>();
  const listen = (listener: RoadListener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const road = { listen } as unknown as ReadersOptions['road'];
  const emit: RoadListener = (event) => {
    for (const listener of listeners) listener(event);
  };
  return { readers: new Readers({ clock, road, tag: 'abcde' }), emit, listeners };
}

function reader(readers: Readers, filter: { account?: AccountId; chat?: string } = {}) {
  const response = new FakeResponse();
  readers.add({
    holder: null,
    response: response as unknown as ServerResponse,
    account: filter.account ?? null,
    chat: filter.chat ?? null,
  });
  return response;
}

describe('readers', () => {
  test('get what concerns them', () => {
    const { readers, emit } = open();
    const all = reader(readers);
    const chat = reader(readers, { chat: '7' });
    const account = reader(readers, { account: 'telegram:1' });
    emit(accepted());
    emit(accepted({ chat: '7' }));
    const until = Number.POSITIVE_INFINITY;
    emit({
      kind: 'breaker',
      at: 1,
      account: 'telegram:1',
      state: 'open',
      until,
      cause: 'x',
      detail: '',
    });
    const kinds = (response: FakeResponse) => response.text.match(/event: \w+/g) ?? [];
    expect(kinds(all)).toEqual(['event: accepted', 'event: accepted', 'event: breaker']);
    expect(kinds(chat)).toEqual(['event: accepted']);
    expect(kinds(account)).toEqual(['event: breaker']);
    expect(account.text).toContain('"until":null');
  });

  test('one that is too slow is told and dropped; the others are not', () => {
    const { readers, emit } = open();
    const slow = reader(readers);
    const fast = reader(readers);
    slow.writableLength = EVENT_BACKLOG_BYTES_MAX + 1;
    emit(accepted());
    emit(accepted());
    expect(slow.ended).toBe(true);
    expect(slow.text.match(/event: \w+/g)).toEqual(['event: dropped']);
    expect(fast.text.match(/event: \w+/g)).toHaveLength(2);
  });

  test('the road is listened to as long as somebody reads', () => {
    const { readers, listeners } = open();
    expect(listeners.size).toBe(0);
    const [one, other] = [reader(readers), reader(readers)];
    expect(listeners.size).toBe(1);
    one.close();
    expect(listeners.size).toBe(1);
    other.close();
    expect(listeners.size).toBe(0);
    reader(readers);
    expect(listeners.size).toBe(1);
    readers.stop();
    expect(listeners.size).toBe(0);
  });

  test('a beat keeps quiet lines open, and stops when nobody listens', async () => {
    const clock = virtualClock(0);
    const { readers } = open(clock);
    const one = reader(readers);
    await clock.run(2 * EVENT_HEARTBEAT_MS);
    expect(one.text.match(/: beat/g)).toHaveLength(2);
    one.close();
    await clock.run(9 * EVENT_HEARTBEAT_MS);
    expect(one.text.match(/: beat/g)).toHaveLength(2);
    expect(clock.pending()).toBe(0);
  });
});

describe('GET /v1/events', () => {
  test('streams over a real connection and says goodbye', async () => {
    const at = await bench();
    await at.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = at.app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/events?account=telegram:42`;
    const [answer] = (await once(get(url, { headers: AUTH }), 'response')) as [IncomingMessage];
    expect(answer.headers['content-type']).toBe('text/event-stream');
    answer.setEncoding('utf8');
    await once(answer, 'data');
    at.road.emit(accepted());
    const [event] = (await once(answer, 'data')) as [string];
    const data = JSON.parse(/^data: (.*)$/m.exec(event)![1]!);
    expect(data).toMatchObject({
      correlation: 'order 9',
      chat: '-100',
      at: '2030-03-17T17:46:40.000Z',
    });
    expect(data).not.toHaveProperty('seq');
    const goodbye = once(answer, 'data');
    await at.app.close();
    expect(String((await goodbye)[0])).toContain('event: dropped');
  });

  test('tells of the streams of the chat that is followed', async () => {
    const at = await bench();
    await at.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = at.app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/events?chat=7`;
    const [answer] = (await once(get(url, { headers: AUTH }), 'response')) as [IncomingMessage];
    answer.setEncoding('utf8');
    await once(answer, 'data');
    const heard = once(answer, 'data');
    for (const chat of [8, 7]) {
      const payload = { to: { account: 'telegram:42', chat } };
      await at.app.inject({ method: 'POST', url: '/v1/streams', headers: AUTH, payload });
    }
    await at.live.cancel('stream1');
    await at.live.cancel('stream2');
    const [event] = (await heard) as [string];
    expect(event).toMatch(/^event: stream\n/);
    const data = JSON.parse(/^data: (.*)$/m.exec(event)![1]!);
    expect(data).toMatchObject({ id: 'stream2', chat: '7', state: 'cancelled' });
    await at.app.close();
  });

  test('a wrong filter is refused', async () => {
    const at = await bench();
    const answer = await at.app.inject({ url: '/v1/events?user=1', headers: AUTH });
    expect(answer.json().code).toBe('invalid_query');
    await at.app.close();
  });
});

// They are written past the framework, which gives every other answer these.
test.each(['/v1/events', '/v1/overview/events', '/v1/terminal/1'])(
  'a browser takes nothing of %s for a page of ours',
  async (path) => {
    const at = await bench();
    await at.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = at.app.server.address() as AddressInfo;
    const request = get(`http://127.0.0.1:${port}${path}`, { headers: AUTH });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      },
    ]);
    request.destroy();
    await at.app.close();
  },
);

test('one key cannot take all places, and keys without the role admin leave some to the owner', () => {
  const readers = new EventReaders(virtualClock(0), 8);
  const keyOf = (id: string | null, role: Role) => ({ ...ADMIN, id, role });
  const join = (holder: Holder) => {
    const refusal = readers.refusalFor(holder);
    if (refusal === null)
      readers.add({ response: new FakeResponse() as unknown as ServerResponse, holder });
    return refusal;
  };
  const viewer = keyOf('k-1', 'viewer');
  expect([join(viewer), join(viewer)]).toEqual([null, null]);
  expect(join(viewer)).toContain('one key may have 2');
  for (const id of ['k-2', 'k-2', 'k-3', 'k-3']) expect(join(keyOf(id, 'operator'))).toBeNull();
  expect(join(keyOf('k-4', 'viewer'))).toBe('6 readers are connected.');
  const admin = keyOf(null, 'admin');
  expect([join(admin), join(admin)]).toEqual([null, null]);
  expect(join(admin)).toBe('8 readers are connected.');
});
