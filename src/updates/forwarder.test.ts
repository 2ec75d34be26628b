import { expect, test } from 'vitest';
import { createMemoryStore } from '../store/memory/memory.ts';
import type { NewIncoming } from '../store/ports/updates.ts';
import type { Reply } from '../system/http/transport.ts';
import { seededRandom } from '../system/random.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Forwarder, type ForwarderParts, POSTS_MAX } from './forwarder.ts';

const ACCOUNT = 'telegram:42';
const OK = answered(200);

function answered(status: number, headers: Record<string, string> = {}, body = ''): Reply {
  return { kind: 'answered', status, headers, body };
}

function row(order: number, chat: string): NewIncoming {
  const updateId = String(order);
  const body = JSON.stringify({ update_id: order, chat });
  const rest = { messageId: null, voice: 'wrote', state: 'waiting' } as const;
  return { account: ACCOUNT, updateId, order, at: 0, chat, body, ...rest };
}

// An app that answers each post as it is told to, and remembers them.
function world(answer: (updateId: string, n: number) => Reply | Promise<Reply>) {
  const clock = virtualClock(0);
  const { journal } = createMemoryStore();
  const { incoming } = journal;
  const posts: { updateId: string; at: number }[] = [];
  let taken = 0;
  const parts: ForwarderParts = {
    clock,
    random: seededRandom(1),
    incoming,
    async post(_account, updateId, body) {
      expect(JSON.parse(body)).toMatchObject({ update_id: Number(updateId) });
      posts.push({ updateId, at: clock.now() });
      return answer(updateId, posts.filter((post) => post.updateId === updateId).length);
    },
    answered: async () => 'done',
    ended: (_account, how) => {
      if (how === 'taken') taken += 1;
    },
    failed: () => {},
    log: { warn: () => {} },
  };
  const add = async (forwarder: Forwarder, order: number, chat: string) => {
    const one = row(order, chat);
    await incoming.record([one]);
    forwarder.add({ ...one, attempts: 0, dueAt: 0 });
  };
  const left = () =>
    incoming.read({ account: ACCOUNT, after: { order: 0, updateId: '' }, max: 1000 });
  return { clock, parts, posts, add, left, incoming, taken: () => taken };
}

test('one at a time and in order within a chat, chats side by side', async () => {
  const open = new Map<string, (reply: Reply) => void>();
  const { clock, parts, posts, add, left } = world(
    (updateId) =>
      new Promise((resolve) => {
        open.set(updateId, resolve);
      }),
  );
  const forwarder = new Forwarder(parts);
  await forwarder.start();
  for (const [id, chat] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ] as const) {
    await add(forwarder, id, chat);
  }
  await clock.run(100);
  expect(posts.map(({ updateId }) => updateId)).toEqual(['1', '3']);
  open.get('3')!(OK);
  await clock.run(200);
  expect(posts).toHaveLength(2);
  open.get('1')!(OK);
  await clock.run(300);
  expect(posts.map(({ updateId }) => updateId)).toEqual(['1', '3', '2']);
  expect((await left()).map(({ updateId }) => updateId)).toEqual(['2']);
});

test('an app that is away holds its chat up, with longer and longer rests, and nobody else', async () => {
  const down: Reply = { kind: 'unsent', reason: 'refused', detail: '' };
  const { clock, parts, posts, add, left, taken } = world((updateId, n) =>
    updateId === '1' && n <= 10 ? down : OK,
  );
  const forwarder = new Forwarder(parts);
  await forwarder.start();
  for (const [id, chat] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ] as const) {
    await add(forwarder, id, chat);
  }
  await clock.run(0);
  expect(posts.map(({ updateId }) => updateId)).toEqual(['1', '3']);
  await clock.run(20 * 60_000);
  const tries = posts.filter(({ updateId }) => updateId === '1').map(({ at }) => at);
  const rests = tries.slice(1).map((at, i) => at - tries[i]!);
  expect(rests.slice(0, 6)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
  for (const rest of rests.slice(6)) {
    expect(rest).toBeGreaterThanOrEqual(60_000);
    expect(rest).toBeLessThanOrEqual(120_000);
  }
  expect(posts.at(-1)?.updateId).toBe('2');
  expect(await left()).toEqual([]);
  expect(taken()).toBe(3);
});

test('the app may ask for a longer rest, up to an hour', async () => {
  const asked = ['7', '3600', '3601', 'soon'];
  const { clock, parts, posts, add } = world((_id, n) =>
    n <= asked.length ? answered(503, { 'retry-after': asked[n - 1]! }) : OK,
  );
  const forwarder = new Forwarder(parts);
  await forwarder.start();
  await add(forwarder, 1, 'a');
  await clock.run(2 * 3_600_000);
  const rests = posts.slice(1).map(({ at }, i) => at - posts[i]!.at);
  // What is no such wish is an ordinary failure.
  expect(rests).toEqual([7000, 3_600_000, 4000, 8000]);
});

test('posts of one account at once are bounded', async () => {
  const { clock, parts, posts, add } = world(() => new Promise(() => {}));
  const forwarder = new Forwarder(parts);
  await forwarder.start();
  for (let i = 0; i < POSTS_MAX + 5; i++) await add(forwarder, i + 1, `chat ${i}`);
  await clock.run(1000);
  expect(posts).toHaveLength(POSTS_MAX);
});

test('when the app’s answer cannot be taken on now, the app is asked again', async () => {
  const { clock, parts, posts, add, left } = world(() => OK);
  const answers: ('done' | 'later')[] = ['later', 'done'];
  const forwarder = new Forwarder({ ...parts, answered: async () => answers.shift()! });
  await forwarder.start();
  await add(forwarder, 1, 'a');
  await clock.run(60_000);
  expect(posts).toHaveLength(2);
  expect(await left()).toEqual([]);
});

test('what the app has is not posted again because the store was full', async () => {
  const { clock, parts, posts, add, left } = world(() => OK);
  let failures = 2;
  const done: ForwarderParts['incoming']['done'] = async (command) => {
    if (failures-- > 0) throw new Error('disk full');
    return parts.incoming.done(command);
  };
  const forwarder = new Forwarder({ ...parts, incoming: { ...parts.incoming, done } });
  await forwarder.start();
  await add(forwarder, 1, 'a');
  await clock.run(60_000);
  expect(posts).toHaveLength(1);
  expect(await left()).toEqual([]);
});

test('what expired meanwhile is passed over', async () => {
  const { clock, parts, posts, add, incoming } = world(() => OK);
  const forwarder = new Forwarder(parts);
  await add(forwarder, 1, 'a');
  await incoming.prune({ before: 1, max: 9 });
  await add(forwarder, 2, 'a');
  await forwarder.start();
  await clock.run(1000);
  expect(posts.map(({ updateId }) => updateId)).toEqual(['2']);
});

serviceContract('the forwarder', async () => {
  const held = Promise.withResolvers<Reply>();
  let holds = false;
  const { clock, parts, posts, add } = world(() => (holds ? held.promise : answered(500)));
  const service = new Forwarder(parts);
  await add(service, 1, 'a');
  let next = 2;
  const work = {
    async begin() {
      holds = true;
      await add(service, next, `work ${next}`);
      next += 1;
    },
    finish: () => held.resolve(OK),
  };
  return { service, clock, deeds: () => posts.length, work };
});
