import { describe, expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { createMemoryDisk, createMemoryStore } from '../store/memory/memory.ts';
import type { WaitingUpdatesQuery } from '../store/ports/updates.ts';
import type { Reply } from '../system/http/transport.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { derivedSigningSecret } from './signature.ts';
import { createInbound, type InboundParts, type InboundSettings } from './updates.ts';
import { isGenuine } from './verifier.fixture.ts';

const TELEGRAM = createTelegram({ transport: null as never });
const ACCOUNT: AccountId = 'telegram:42';
const APP: AccountId = 'http://app.test/bot';
const START = 1_900_000_000_000;
const HOUR = 3_600_000;
const CALL = { chat: '7', family: 'send', budget: 'broadcast', params: {} } as const;
const ok = (body = ''): Reply => ({ kind: 'answered', status: 200, headers: {}, body });

function update(updateId: number, message: object = {}) {
  const date = START / 1000;
  return { update_id: updateId, message: { message_id: 1, chat: { id: 7 }, date, ...message } };
}

function world(
  changes: Partial<InboundSettings> = {},
  disk = createMemoryDisk(),
  at = START,
  more: Partial<InboundParts> = {},
) {
  const clock = virtualClock(at);
  const { journal } = createMemoryStore(disk);
  const settings: InboundSettings = {
    replyWindowS: 3600,
    forwardUrl: null,
    webhookSecret: null,
    signingSecret: null,
    signingSecretPrevious: null,
    updatesFromStore: false,
    ...changes,
  };
  const app: { answer: () => Reply | Promise<Reply> } = { answer: () => ok() };
  const posts: { url: string; body: string; headers: Readonly<Record<string, string>> }[] = [];
  const calls: unknown[] = [];
  const logged: string[] = [];
  const counted: string[] = [];
  const parts: InboundParts = {
    clock,
    periodic: new Periodic(clock),
    random: seededRandom(1),
    journal,
    secret: 'the gateway’s',
    accounts: { list: () => [ACCOUNT], has: (id) => id === ACCOUNT },
    platformOf: () => TELEGRAM,
    settingsOf: () => settings,
    async post(url, body, headers) {
      posts.push({ url, body, headers });
      return app.answer();
    },
    async call(account, call, key) {
      calls.push({ account, ...call, key });
      return 'done';
    },
    receipt: async () => {},
    usernameOf: async () => 'helper_bot',
    count: (_account, end) => void counted.push(end),
    log: { warn: (_fields, message) => void logged.push(message) },
    ...more,
  };
  const inbound = createInbound(parts);
  const secret = inbound.webhookOf(ACCOUNT)!.secret;
  const receive = (one: unknown) => inbound.receive(ACCOUNT, by(secret), one);
  return { clock, journal, inbound, receive, posts, calls, logged, counted, app, secret };
}

const by = (secret: string) => ({
  headers: { 'x-telegram-bot-api-secret-token': secret },
  rawBody: '{}',
});

describe('a webhook', () => {
  test('while the gateway’s secret is replaced, the one before is good as well', async () => {
    const { secret: old } = world();
    const more = { secret: 'a new one', secretPrevious: 'the gateway’s' };
    const { inbound, secret } = world({}, undefined, START, more);
    await inbound.start();
    expect(secret).not.toBe(old);
    for (const [i, given] of [old, secret].entries()) {
      expect(await inbound.receive(ACCOUNT, by(given), update(i))).toEqual({ kind: 'received' });
    }
    const set = world({ webhookSecret: 'mine' }, undefined, START, more).inbound;
    expect(await set.receive(ACCOUNT, by(old), update(9))).toEqual({ kind: 'unauthorized' });
  });

  test('is admitted by its secret alone, derived or set', async () => {
    const { inbound, secret, clock } = world();
    await inbound.start();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await inbound.receive(ACCOUNT, by('guess'), update(1))).toEqual({
      kind: 'unauthorized',
    });
    expect(await inbound.receive('telegram:1', by(secret), update(1))).toEqual({
      kind: 'unauthorized',
    });
    expect(await inbound.receive(ACCOUNT, by(secret), 'no update')).toEqual({ kind: 'invalid' });
    expect(await inbound.receive(ACCOUNT, by(secret), update(1))).toEqual({ kind: 'received' });
    expect(world({ webhookSecret: 'mine' }).secret).toBe('mine');
    expect(inbound.webhookOf('telegram:1')).toBeNull();
    await clock.run(START);
  });

  test('of an account that is no more is refused, its secret included', async () => {
    const known = new Set([ACCOUNT]);
    const accounts = { list: () => [...known], has: (id: AccountId) => known.has(id) };
    const { inbound, receive, secret } = world({}, undefined, START, { accounts });
    await inbound.start();
    expect(await receive(update(1))).toEqual({ kind: 'received' });
    known.clear();
    expect(inbound.admits(ACCOUNT, by(secret))).toBe(false);
    expect(await receive(update(2))).toEqual({ kind: 'unauthorized' });
  });

  test('is forwarded as it came, with the secret, once', async () => {
    const { inbound, receive, clock, posts, counted, secret } = world({ forwardUrl: APP });
    await inbound.start();
    for (let i = 0; i < 3; i++) expect(await receive(update(1))).toEqual({ kind: 'received' });
    await clock.run(START + 1000);
    expect(posts).toEqual([
      {
        url: APP,
        body: JSON.stringify(update(1)),
        headers: expect.objectContaining({ 'x-telegram-bot-api-secret-token': secret }),
      },
    ]);
    expect(inbound.webhookOf(ACCOUNT)).toMatchObject({ waiting: 0 });
    expect(counted.sort()).toEqual(['received', 'repeated', 'repeated', 'taken']);
  });

  test('is signed with the account’s secret: one id for all tries, the time of each', async () => {
    const { inbound, receive, clock, posts, app } = world({ forwardUrl: APP });
    await inbound.start();
    app.answer = () => ({ kind: 'unsent', reason: 'refused', detail: '' });
    await receive(update(1));
    await clock.run(START + 20_000);
    expect(posts.length).toBeGreaterThan(2);
    const { signingSecret } = inbound.webhookOf(ACCOUNT)!;
    const times = posts.map(({ headers }) => Number(headers['webhook-timestamp']));
    for (const [i, post] of posts.entries()) {
      expect(post.headers['webhook-id']).toBe(`${ACCOUNT}:1`);
      expect(await isGenuine(post, signingSecret, times[i]! * 1000)).toBe(true);
    }
    expect(times[0]).toBe(START / 1000);
    expect(new Set(times).size).toBe(times.length);
    const other = derivedSigningSecret('the gateway’s', 'telegram:43');
    expect(await isGenuine(posts[0]!, other, START)).toBe(false);
  });

  test('is signed with both secrets while one is replaced, the gateway’s or the account’s own', async () => {
    const own = (fill: string) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
    const derived = (secret: string) => derivedSigningSecret(secret, ACCOUNT);
    const rotated = { secret: 'a new one', secretPrevious: 'the gateway’s' };
    const cases: [Partial<InboundSettings>, Partial<InboundParts>, string[]][] = [
      [{}, rotated, [derived('a new one'), derived('the gateway’s')]],
      [{ signingSecret: own('a') }, rotated, [own('a')]],
      [{ signingSecret: own('a'), signingSecretPrevious: own('b') }, {}, [own('a'), own('b')]],
      [{ signingSecretPrevious: own('b') }, {}, [derived('the gateway’s'), own('b')]],
    ];
    for (const [settings, more, secrets] of cases) {
      const at = world({ forwardUrl: APP, ...settings }, undefined, START, more);
      await at.inbound.start();
      await at.receive(update(1));
      await at.clock.run(START + 1);
      expect(at.inbound.webhookOf(ACCOUNT)!.signingSecret).toBe(secrets[0]);
      const [post] = at.posts;
      expect(post!.headers['webhook-signature']!.split(' ')).toHaveLength(secrets.length);
      for (const secret of secrets) expect(await isGenuine(post!, secret, START)).toBe(true);
    }
  });

  test('waits for the app across a restart', async () => {
    const disk = createMemoryDisk();
    const first = world({ forwardUrl: APP }, disk);
    await first.inbound.start();
    first.app.answer = () => ({ kind: 'unsent', reason: 'refused', detail: '' });
    await first.receive(update(1));
    await first.clock.run(START + 500);
    const second = world({ forwardUrl: APP }, disk, START + 600);
    await second.inbound.start();
    expect(second.inbound.webhookOf(ACCOUNT)).toMatchObject({ waiting: 1 });
    await second.clock.run(START + 60_000);
    expect(second.posts).toHaveLength(1);
  });

  test('may be answered with a call, which has one key', async () => {
    const { inbound, receive, clock, calls, app } = world({ forwardUrl: APP });
    app.answer = () => ok('{"method":"sendMessage","chat_id":7,"text":"hi"}');
    await inbound.start();
    await receive(update(9));
    await clock.run(START + 1000);
    const params = { chat_id: 7, text: 'hi' };
    expect(calls).toEqual([{ account: ACCOUNT, method: 'sendMessage', params, key: 'webhook:9' }]);
  });

  test('without a way to the app is only looked at', async () => {
    const { inbound, receive, journal, clock } = world();
    await inbound.start();
    await receive(update(1));
    await clock.run(START + 1000);
    expect(inbound.budgetFor(ACCOUNT, CALL)).toBe('reply');
    const all = { account: ACCOUNT, after: { order: 0, updateId: '' }, max: 9 };
    expect(await journal.incoming.read(all)).toEqual([]);
  });

  test('is refused while a great many wait for the app, and nothing of it is kept', async () => {
    // An app that was away: so many updates wait in the store.
    const waiting = (count: number): Partial<InboundParts> => {
      const { journal } = createMemoryStore();
      const page = async ({ after, max }: WaitingUpdatesQuery) => {
        const before = Math.max(0, after.order);
        return Array.from({ length: Math.min(max, count - before) }, (_, i) => {
          const order = before + i + 1;
          const rest = { chat: '7', at: START, attempts: 0, dueAt: 0 };
          return { account: ACCOUNT, updateId: String(order), order, ...rest };
        });
      };
      return { journal: { incoming: { ...journal.incoming, waiting: page } } };
    };
    const some = world({ updatesFromStore: true }, undefined, START, waiting(1_000));
    await some.inbound.start();
    expect(await some.receive(update(2_000_000))).toEqual({ kind: 'received' });
    const many = world({ updatesFromStore: true }, undefined, START, waiting(1_000_000));
    await many.inbound.start();
    expect(await many.receive(update(2_000_000))).toMatchObject({ kind: 'full' });
    expect(many.counted).toEqual([]);
    expect(await many.inbound.receive(ACCOUNT, by('guess'), update(1))).toEqual({
      kind: 'unauthorized',
    });
  });

  test('is kept for polling where that is set, and forgotten after a day', async () => {
    const { inbound, receive, clock, logged, counted } = world({ updatesFromStore: true });
    await inbound.start();
    expect(inbound.servesUpdates(ACCOUNT)).toBe(true);
    const polled = inbound.poll(ACCOUNT, { timeout: 30 }, new AbortController().signal);
    await clock.run(START + 1000);
    await receive(update(1));
    expect(await polled).toEqual({ kind: 'updates', bodies: [JSON.stringify(update(1))] });
    await clock.run(START + 25 * HOUR);
    expect(inbound.webhookOf(ACCOUNT)).toMatchObject({ waiting: 0 });
    expect(logged).toEqual(['updates expired: no app took them within a day']);
    expect(counted).toEqual(['received', 'expired']);
  });
});

describe('who wrote', () => {
  test('is known after a restart, for as long as the window', async () => {
    const disk = createMemoryDisk();
    const first = world({}, disk);
    await first.inbound.start();
    const command = [{ type: 'bot_command', offset: 0, length: 5 }];
    first.inbound.saw(ACCOUNT, [update(1, { text: '/help', entities: command }), 'nonsense']);
    await first.clock.run(START + 1);
    const second = world({}, disk, START + 50_000);
    expect(second.inbound.budgetFor(ACCOUNT, CALL)).toBe('broadcast');
    await second.inbound.start();
    expect(second.inbound.budgetFor(ACCOUNT, CALL)).toBe('reply');
    expect(second.inbound.priorityFor(ACCOUNT, CALL)).toBe('high');
    const third = world({}, disk, START + HOUR + 1);
    await third.inbound.start();
    expect(third.inbound.budgetFor(ACCOUNT, CALL)).toBe('broadcast');
  });

  test('and whom they mean, once the bot’s name is known', async () => {
    const { inbound, clock } = world();
    await inbound.start();
    const entities = [{ type: 'mention', offset: 0, length: 11 }];
    inbound.saw(ACCOUNT, [update(1, { text: '@helper_bot', entities })]);
    expect(inbound.priorityFor(ACCOUNT, CALL)).toBeNull();
    await clock.run(START + 1);
    expect(inbound.priorityFor(ACCOUNT, CALL)).toBe('high');
  });
});

serviceContract('inbound', async () => {
  const { clock, inbound, receive, posts, app } = world({ forwardUrl: APP });
  const held = Promise.withResolvers<Reply>();
  let holds = false;
  app.answer = () => (holds ? held.promise : { kind: 'unsent', reason: 'refused', detail: '' });
  await receive(update(1));
  let next = 2;
  const work = {
    async begin() {
      holds = true;
      await receive(update(next, { chat: { id: next } }));
      next += 1;
    },
    finish: () => held.resolve(ok()),
  };
  return { service: inbound, clock, deeds: () => posts.length, work };
});
