// Texts that grow by plain edits, as agents make them: nobody opened a stream, nobody says which edit is the last.

import { describe, expect, test } from 'vitest';
import { sleep } from '../src/system/clock.ts';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { delivery, send, sendFirst } from './live/edits.ts';
import { ACCOUNT, GROUP, type LiveWorld, liveWorld } from './live/world.ts';

const LAST = 'the last word';
const NEVER = new AbortController().signal;

interface Session {
  readonly thread: number;
  messageId: string;
  // When its last text was handed over, and on the screen.
  readyAt: number;
  shownAt: number;
}

function edit(
  world: LiveWorld,
  { messageId }: Session,
  text: string,
  sendOptions = {},
  chat = GROUP,
) {
  const params = { chat_id: chat, message_id: Number(messageId), text };
  return world.live.edits.submit(delivery(world, 'editMessageText', params, sendOptions));
}

// Resolves when a client that waits for each answer has it.
async function answeredEdit(world: LiveWorld, session: Session, text: string): Promise<void> {
  const appended = await edit(world, session, text);
  if (appended.kind !== 'accepted') throw new Error(appended.kind);
  const { seq } = appended.queued;
  if (!world.live.edits.road.isPreview(seq)) await world.road.ended(seq, NEVER);
}

async function open(world: LiveWorld, count: number, chat = GROUP): Promise<Session[]> {
  const ids = await sendFirst(world, count, { chat });
  return ids.map((messageId, thread) => ({ thread, messageId, readyAt: 0, shownAt: 0 }));
}

// Each is edited every `everyMs` until `forMs`; then comes its last text.
async function stream(
  world: LiveWorld,
  sessions: readonly Session[],
  { everyMs, forMs, chat = GROUP, final = false, during = () => {} }: Streaming,
): Promise<void> {
  await edited(world, sessions, { everyMs, forMs, chat, during });
  for (const session of sessions) {
    session.readyAt = world.clock.now();
    void edit(world, session, `${LAST} of ${session.thread}`, { final }, chat);
  }
}

async function edited(
  world: LiveWorld,
  sessions: readonly Session[],
  { everyMs, forMs, chat = GROUP, during = () => {} }: Streaming,
): Promise<void> {
  const from = world.clock.now();
  while (world.clock.now() < from + forMs) {
    const n = world.clock.now();
    for (const session of sessions) void edit(world, session, `${session.thread}: ${n}`, {}, chat);
    during(n - from);
    await world.run(everyMs);
  }
}

interface Streaming {
  readonly everyMs: number;
  readonly forMs: number;
  readonly chat?: string;
  readonly final?: boolean;
  during?(ms: number): void;
}

const textOf = ({ text }: LiveWorld['calls'][number]) => text;
const editsOf = (world: LiveWorld, { messageId }: Session) =>
  world.calls.filter(
    ({ method, messageIds, acceptedAt }) =>
      method === 'editMessageText' && acceptedAt !== null && messageIds.includes(Number(messageId)),
  );

// How late the slowest last text was; every one of them is the last that its message shows.
function slowest(world: LiveWorld, sessions: readonly Session[]): number {
  for (const session of sessions) {
    const last = editsOf(world, session).at(-1)!;
    expect(textOf(last)).toBe(`${LAST} of ${session.thread}`);
    session.shownAt = last.acceptedAt!;
  }
  expect(world.calls.filter(({ status }) => status === 429)).toEqual([]);
  return Math.max(...sessions.map(({ readyAt, shownAt }) => shownAt - readyAt));
}

function previews(world: LiveWorld, sessions: readonly Session[]): number[] {
  return sessions.map(
    (session) => editsOf(world, session).filter((call) => !textOf(call).startsWith(LAST)).length,
  );
}

describe.each([
  ['learned', false],
  ['said', true],
])('the end is %s', (_, final) => {
  test.each([
    [250, 10_000],
    [1000, 12_000],
    [3000, 12_000],
  ])('six topics of one group, an edit every %i ms', async (everyMs, lateMsMax) => {
    const world = await liveWorld();
    const sessions = await open(world, 6);
    let commandAt = 0;
    let askedAt = 0;
    await stream(world, sessions, {
      everyMs,
      forMs: 30_000,
      final,
      during: (ms) => {
        if (askedAt > 0 || ms < 15_000) return;
        askedAt = world.clock.now();
        void world.live.edits.submit(
          delivery(world, 'sendMessage', { chat_id: GROUP, text: 'a command' }),
        );
      },
    });
    await world.run(90_000);
    expect(slowest(world, sessions)).toBeLessThanOrEqual(lateMsMax);
    commandAt = world.calls.find((call) => textOf(call) === 'a command')!.acceptedAt!;
    expect(commandAt - askedAt).toBeLessThanOrEqual(4000);
    const shown = previews(world, sessions);
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
    expect(Math.min(...shown)).toBeGreaterThanOrEqual(1);
  });

  test.each([1000, 3000])(
    'the same, each edit awaited, %i ms after the answer',
    async (pauseMs) => {
      const world = await liveWorld();
      const sessions = await open(world, 6);
      const until = world.clock.now() + 30_000;
      const edited = sessions.map(async (session) => {
        for (let i = 0; world.clock.now() < until; i++) {
          await answeredEdit(world, session, `${session.thread}: ${i}`);
          await sleep(world.clock, pauseMs);
        }
        session.readyAt = world.clock.now();
        await edit(world, session, `${LAST} of ${session.thread}`, { final });
      });
      await world.run(120_000);
      await Promise.all(edited);
      expect(slowest(world, sessions)).toBeLessThanOrEqual(12_000);
      expect(Math.min(...previews(world, sessions))).toBeGreaterThanOrEqual(1);
    },
  );

  test.each([1, 3, 20])('%i sessions: within 3 s for each final that waits, and 3 s', async (n) => {
    const world = await liveWorld();
    const sessions = await open(world, n);
    await stream(world, sessions, { everyMs: 250, forMs: 30_000, final });
    await world.run(180_000);
    expect(slowest(world, sessions)).toBeLessThanOrEqual(3000 * n + 3000);
  });

  // A producer on a busy machine stands still now and then, and its texts are not over.
  test.each([
    ['just begun', 0],
    ['a minute after their first messages', 60_000],
  ])('20 sessions that stand still for 2 s four times, %s', async (_begun, restMs) => {
    const world = await liveWorld();
    const sessions = await open(world, 20);
    await world.run(restMs);
    for (let i = 0; i < 4; i++) {
      await edited(world, sessions, { everyMs: 250, forMs: 6000, final });
      await world.run(2000);
    }
    await stream(world, sessions, { everyMs: 250, forMs: 2000, final });
    const until = world.clock.now();
    await world.run(180_000);
    const shown = sessions.map(
      (session) => editsOf(world, session).filter(({ acceptedAt }) => acceptedAt! < until).length,
    );
    expect(slowest(world, sessions)).toBeLessThanOrEqual(63_000);
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
  });

  // Of the messages that they begin with most are old by the first edit, which goes as any other does.
  test('20 sessions whose clients wait for an answer before their last text', async () => {
    const world = await liveWorld();
    const sessions = await open(world, 20);
    await edited(world, sessions, { everyMs: 250, forMs: 30_000 });
    const answers = sessions.map((session) => answeredEdit(world, session, 'almost'));
    const readyAt = world.clock.now();
    const lasts = sessions.map(async (session, n) => {
      await answers[n];
      session.readyAt = readyAt;
      await edit(world, session, `${LAST} of ${session.thread}`, { final });
    });
    await world.run(180_000);
    await Promise.all(lasts);
    expect(slowest(world, sessions)).toBeLessThanOrEqual(63_000);
  });

  test('20 sessions of REST that stand still at different times', async () => {
    const world = await liveWorld({ seed: 7 });
    const sessions = await open(world, 20);
    await world.run(60_000);
    const random = seededRandom(7);
    const resumesAt = sessions.map(() => 0);
    const named = (thread: number) => ({ session: `s${thread}` });
    const from = world.clock.now();
    while (world.clock.now() < from + 30_000) {
      const now = world.clock.now();
      for (const [n, session] of sessions.entries()) {
        if (now < resumesAt[n]!) continue;
        if (intBelow(random, 40) === 0) resumesAt[n] = now + 2500;
        else void edit(world, session, `${session.thread}: ${now}`, named(n));
      }
      await world.run(250);
    }
    const until = world.clock.now();
    for (const [n, session] of sessions.entries()) {
      session.readyAt = until;
      void edit(world, session, `${LAST} of ${session.thread}`, { ...named(n), final });
    }
    await world.run(180_000);
    expect(slowest(world, sessions)).toBeLessThanOrEqual(63_000);
    const shown = sessions.map(
      (session) => editsOf(world, session).filter(({ acceptedAt }) => acceptedAt! < until).length,
    );
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
  });

  test('in a private chat within 1.5 s', async () => {
    const world = await liveWorld();
    const sessions = await open(world, 1, '42');
    await stream(world, sessions, { everyMs: 250, forMs: 30_000, chat: '42', final });
    await world.run(30_000);
    expect(slowest(world, sessions)).toBeLessThanOrEqual(1500);
    expect(previews(world, sessions)[0]).toBeGreaterThanOrEqual(25);
  });
});

describe('an edit of a message that is edited again and again', () => {
  async function one(options = {}) {
    const world = await liveWorld(options);
    const [session] = await open(world, 1);
    const take = async (text: string, sendOptions = {}) => {
      const appended = await world.done(edit(world, session!, text, sendOptions));
      return appended.kind === 'accepted' ? appended.queued.seq : appended;
    };
    return { world, session: session!, take };
  }

  test('goes at once where nothing else is shown, and its caller gets the platform’s answer', async () => {
    const { world, take } = await one();
    const seq = (await take('a')) as number;
    expect(world.live.edits.road.isPreview(seq)).toBe(false);
    // As soon as the chat takes another message after the one that it changes.
    await world.run(1200);
    expect(world.texts()).toEqual(['a']);
  });

  test('the newest is shown, and whoever waited for an older one hears of it', async () => {
    const { world, take } = await one();
    await take('a');
    await world.run(200);
    const [second, third] = [(await take('b')) as number, (await take('c')) as number];
    expect([second, third].map((seq) => world.live.edits.road.isPreview(seq))).toEqual([
      true,
      true,
    ]);
    const ended = await world.done(world.road.ended(second, NEVER));
    expect(ended).toMatchObject({ seq: third, state: 'sent' });
    expect(world.texts()).toEqual(['c']);
    expect(world.live.edits.road.isPreview(third)).toBe(false);
  });

  test('of those that are written together every one is answered at once', async () => {
    const { world, session, take } = await one();
    await take('a');
    await world.run(200);
    const asked = ['b', 'c', 'd'].map(async (text) => {
      const appended = await edit(world, session, text);
      if (appended.kind !== 'accepted') throw new Error(appended.kind);
      return world.live.edits.road.isPreview(appended.queued.seq);
    });
    expect(await world.done(Promise.all(asked))).toEqual([true, true, true]);
  });

  test('what is held when the process dies is shown by the next', async () => {
    const { world, take } = await one();
    for (const text of ['a', 'b', 'c']) await take(text);
    await world.crash();
    await world.run(60_000);
    expect(world.texts()).toEqual(['c']);
  });

  test('a preview that failed for good is told with the next edit, which is not made', async () => {
    const { world, session, take } = await one();
    await take('a');
    await world.run(200);
    await take('b');
    const params = { chat_id: GROUP, message_id: Number(session.messageId) };
    world.model.call(world.token, 'deleteMessage', params, world.clock.now());
    await world.run(20_000);
    const before = world.calls.length;
    expect(await take('c')).toMatchObject({ kind: 'repeated', state: 'dead' });
    await world.run(20_000);
    expect(world.calls).toHaveLength(before);
    // From then on it is a message like any other.
    expect(await take('d')).toEqual(expect.any(Number));
  });

  test('goes before its message is deleted', async () => {
    const { world, session, take } = await one();
    for (const text of ['a', 'b', 'c']) await take(text);
    const params = { chat_id: GROUP, message_id: Number(session.messageId) };
    const gone = delivery(world, 'deleteMessage', params);
    await world.done(world.live.edits.submit(gone));
    await world.run(60_000);
    const calls = world.calls.map(({ method, text, status }) => [method, text, status]);
    expect(calls.at(-2)).toEqual(['editMessageText', 'c', 200]);
    expect(calls.at(-1)).toEqual(['deleteMessage', '', 200]);
  });

  test('after its message was deleted waits for the platform’s answer', async () => {
    const { world, session, take } = await one();
    for (const text of ['a', 'b']) await take(text);
    const params = { chat_id: GROUP, message_id: Number(session.messageId) };
    await world.done(world.live.edits.submit(delivery(world, 'deleteMessage', params)));
    const { road } = world.live.edits;
    const repeated = { ...params, text: 'b' };
    // Behind a deletion that waits still, and after it was made.
    for (const text of ['c', 'd']) {
      expect(road.unchanged(delivery(world, 'editMessageText', repeated))).toBeNull();
      const seq = (await take(text)) as number;
      expect(road.isPreview(seq)).toBe(false);
      const ended = await world.done(road.ended(seq, NEVER));
      expect(ended).toMatchObject({ state: 'dead', detail: expect.stringContaining('not found') });
    }
    const calls = world.calls.map(({ method, text, status }) => [method, text, status]);
    expect(calls.slice(-3)).toEqual([
      ['deleteMessage', '', 200],
      ['editMessageText', 'c', 400],
      ['editMessageText', 'd', 400],
    ]);
  });

  test('with the cadence off every edit is made as soon as the limits allow', async () => {
    const { world, take } = await one({ settings: { qos: false } });
    for (const text of ['a', 'b']) {
      const seq = (await take(text)) as number;
      expect(world.live.edits.road.isPreview(seq)).toBe(false);
      await world.run(1500);
    }
    expect(world.texts()).toEqual(['b']);
    expect(world.calls).toHaveLength(3);
  });

  test('nothing is kept of those that ended', async () => {
    const { world, session, take } = await one();
    for (const text of ['a', 'b', 'c']) await take(text);
    const params = { chat_id: GROUP, message_id: Number(session.messageId), text: 'x' };
    const id = `edit:${ACCOUNT}:${delivery(world, 'editMessageText', params).slot}`;
    expect(world.live.edits.get(id)).not.toBeNull();
    await world.run(60_000);
    expect(world.live.edits.get(id)).toBeNull();
  });
});

// As it is by default on Discord: the chat takes a message a second.
describe.each([
  ['learned', false],
  ['said', true],
])('live output is not paced, and the end is %s', (_, final) => {
  test.each([9000, 9500, 10_000, 10_500, 11_000, 11_500, 12_000, 12_500, 13_000])(
    'six messages of one chat, %i ms of edits: each last text within 3 s of its slot',
    async (forMs) => {
      const chat = '4242';
      const world = await liveWorld({ settings: { qos: false } });
      const opened: Session[] = [];
      for (let i = 0; i < 6; i++) opened.push(...(await open(world, 1, chat)));
      const sessions = opened.map((session, thread) => ({ ...session, thread }));
      await stream(world, sessions, { everyMs: 500, forMs, chat, final });
      const after = await send(world, { chat_id: chat, text: 'after' });
      await world.run(30_000);
      slowest(world, sessions);
      const lateMs = sessions.map(({ readyAt, shownAt }, i) => shownAt - readyAt - (i + 1) * 1000);
      expect(Math.max(...lateMs)).toBeLessThanOrEqual(3000);
      // What was sent after all of them is not overtaken by any.
      const sentAt = world.calls.find(({ messageIds }) => messageIds.includes(Number(after)))!;
      expect(sentAt.acceptedAt).toBeGreaterThan(Math.max(...sessions.map((s) => s.shownAt)));
      const shown = previews(world, sessions);
      expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
    },
  );
});
