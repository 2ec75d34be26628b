import { expect, test } from 'vitest';
import { virtualClock } from '../system/virtual-clock.ts';
import { ADMIN, type Holder } from './keyring.ts';
import { isCsrf, LINK_MS, SESSION_MS, Sessions } from './sessions.ts';
import { LoginThrottle } from './throttle.ts';

const START = 1_900_000_000_000;
const KEY: Holder = { id: 'k-1', name: 'desk', role: 'operator', bounds: null, namespace: 'k-1' };

function open() {
  const clock = virtualClock(START);
  const over = new Set<Holder>();
  return { clock, over, sessions: new Sessions(clock, (holder) => !over.has(holder)) };
}

test('a session has the role of its key, and ends with it', () => {
  const { sessions, over } = open();
  const { id, session } = sessions.open(KEY);
  expect(sessions.find(id)).toBe(session);
  expect(session.holder).toBe(KEY);
  expect(isCsrf(session, session.csrf)).toBe(true);
  expect(isCsrf(session, sessions.open(KEY).session.csrf)).toBe(false);
  expect(isCsrf(session, '')).toBe(false);
  over.add(KEY);
  expect(sessions.find(id)).toBeNull();
});

test('a session ends by itself, or when it is closed', async () => {
  const { sessions, clock } = open();
  const [first, second] = [sessions.open(ADMIN), sessions.open(ADMIN)];
  sessions.close(first.id);
  expect(sessions.find(first.id)).toBeNull();
  await clock.run(START + SESSION_MS - 1);
  expect(sessions.find(second.id)).not.toBeNull();
  await clock.run(START + SESSION_MS);
  expect(sessions.find(second.id)).toBeNull();
});

test('there are never too many: the oldest goes', () => {
  const { sessions } = open();
  const ids = Array.from({ length: 1001 }, () => sessions.open(ADMIN).id);
  expect(sessions.find(ids[0]!)).toBeNull();
  expect(sessions.find(ids[1]!)).not.toBeNull();
});

test('a link is good once, and not for ever', async () => {
  const { sessions, clock } = open();
  const [used, late] = [sessions.link(ADMIN), sessions.link(ADMIN)];
  expect(sessions.takeLink(used)).toBe(ADMIN);
  expect(sessions.takeLink(used)).toBeNull();
  await clock.run(START + LINK_MS);
  expect(sessions.takeLink(late)).toBeNull();
});

test('failures are bounded per address, and over all of them', () => {
  const throttle = new LoginThrottle({ perAddress: 2, overAll: 3 });
  const waits = (address: string) => throttle.waitMs(address, START + 1000) > 0;
  throttle.failed('a', START);
  expect(waits('a')).toBe(false);
  throttle.failed('a', START);
  expect([waits('a'), waits('b')]).toEqual([true, false]);
  throttle.failed('b', START);
  expect(waits('c')).toBe(true);
  expect(throttle.waitMs('a', START + 60_000)).toBe(0);
});
