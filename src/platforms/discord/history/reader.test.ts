// What a reader of Discord's history asks, and what it makes of the answers.

import { describe, expect, test } from 'vitest';
import { channelIdIn } from './channel-name.ts';
import { historyKind } from './reader.ts';
import { CHANNEL, HERE, simulatedDiscord, TOKEN, UNLIMITED, valueIn } from './simulated.fixture.ts';

test.each([
  ['555', '555'],
  [' https://discord.com/channels/1/555 ', '555'],
  ['https://ptb.discord.com/channels/@me/555/', '555'],
  ['https://discordapp.com/channels/1/555/777', '555'],
  ['<#555>', '555'],
  ['0', null],
  ['#general', null],
  ['https://example.com/channels/1/555', null],
  ['99999999999999999999', null],
])('%s names channel %s', (given, id) => {
  expect(channelIdIn(given)).toBe(id);
});

describe('a channel', () => {
  test('is found by its id or its address', async () => {
    const { reader, asked } = simulatedDiscord();
    const address = `https://discord.com/channels/1/${CHANNEL}`;
    for (const given of [CHANNEL, address]) {
      expect(await asked(reader().resolve(given))).toMatchObject({
        kind: 'read',
        value: { id: CHANNEL, access: null },
      });
    }
    expect(await asked(reader().resolve('general'))).toMatchObject({
      kind: 'refused',
      reason: 'name_invalid',
    });
  });

  test('that is gone or hidden is refused, and a wrong token is logged out', async () => {
    const { reader, asked, model } = simulatedDiscord();
    model.setAccess(CHANNEL, 'gone');
    expect(await asked(reader().resolve(CHANNEL))).toMatchObject({
      kind: 'refused',
      reason: 'unknown_channel',
    });
    model.setAccess(CHANNEL, 'hidden');
    expect(await asked(reader().resolve(CHANNEL))).toMatchObject({
      kind: 'refused',
      reason: 'missing_access',
    });
    model.revoke(TOKEN);
    expect(await asked(reader().history(HERE, '0', 100))).toMatchObject({ kind: 'logged_out' });
  });

  test('is not followed by a bot that is not told what others write', async () => {
    const { reader, asked } = simulatedDiscord({ messageContent: false });
    expect(await asked(reader().resolve(CHANNEL))).toMatchObject({
      kind: 'refused',
      reason: 'no_message_content',
    });
  });
});

describe('a page', () => {
  test('ascends from an id, and says where it ends', async () => {
    const { reader, asked, post } = simulatedDiscord(UNLIMITED);
    const ids = Array.from({ length: 5 }, (_, n) => post(`post ${n}`));
    const first = valueIn(await asked(reader().history(HERE, '0', 3)));
    expect(first.posts.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first).toMatchObject({ upTo: ids[2], newestId: null });
    const next = valueIn(await asked(reader().history(HERE, ids[2]!, 3)));
    expect(next.posts.map(({ id }) => id)).toEqual(ids.slice(3));
    const last = valueIn(await asked(reader().history(HERE, ids[4]!, 3)));
    expect(last).toEqual({ posts: [], newestId: ids[4], mark: null });
  });

  test('passes over notes of the platform, however many', async () => {
    const { reader, asked, model, clock } = simulatedDiscord(UNLIMITED);
    const notes = Array.from({ length: 100 }, () => model.note(CHANNEL, clock.now()));
    const page = valueIn(await asked(reader().history(HERE, '0', 100)));
    expect(page).toEqual({ posts: [], upTo: notes.at(-1), newestId: null, mark: null });
  });

  test('that is empty is the end only where the past may be read', async () => {
    const { reader, asked, post, remove, model } = simulatedDiscord(UNLIMITED);
    const id = post('one');
    const look = () => asked(reader().history(HERE, id, 100));
    expect(valueIn(await look())).toMatchObject({ newestId: id });
    remove(id);
    expect(valueIn(await look())).toMatchObject({ posts: [], newestId: id });
    expect(valueIn(await asked(reader().history(HERE, '0', 100)))).toMatchObject({ newestId: '0' });
    model.setAccess(CHANNEL, 'past_hidden');
    for (const after of [id, '0']) {
      expect(await asked(reader().history(HERE, after, 100))).toMatchObject({
        kind: 'refused',
        reason: 'missing_permissions',
      });
    }
  });
});

describe('limits', () => {
  test('what is left of a bucket is told before it is used up', async () => {
    const { reader, asked, post, calls } = simulatedDiscord({ readCount: 2 });
    post('one');
    const one = await asked(reader().history(HERE, '0', 100));
    expect(one).not.toHaveProperty('restMs');
    const two = await asked(reader().history(HERE, '0', 100));
    expect(two).toMatchObject({ kind: 'read', restMs: expect.any(Number) });
    const three = await asked(reader().history(HERE, '0', 100));
    expect(three).toMatchObject({ kind: 'wait' });
    expect(three).not.toHaveProperty('isOfAccount');
    expect(calls.at(-1)).toMatchObject({ method: 'getMessages', status: 429 });
  });

  test('a wait for the whole bot is told as such, to the millisecond', async () => {
    const { reader, asked, post } = simulatedDiscord({ global: { count: 2, perMs: 60_000 } });
    post('one');
    await asked(reader().history(HERE, '0', 100));
    const answer = await asked(reader().history(HERE, '0', 100));
    expect(answer).toMatchObject({ kind: 'wait', isOfAccount: true });
    const { waitMs } = answer as { waitMs: number };
    expect(waitMs).toBeGreaterThan(59_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
  });

  test('an outage is a failure that is tried again', async () => {
    const { reader, asked, model, clock } = simulatedDiscord();
    model.restart(clock.now() + 1000);
    expect(await asked(reader().history(HERE, '0', 100))).toMatchObject({
      kind: 'failed',
      reason: 'server',
    });
  });
});

test('bots read, webhooks do not', async () => {
  const lines = { wires: null as never, files: null, invalid: null };
  const kind = historyKind(lines);
  expect(kind.readsWith!(TOKEN)).toBe(true);
  expect(kind.readsWith!('1.sandbox')).toBe(true);
  expect(kind.readsWith!('webhook/1/sandbox')).toBe(false);
  expect(kind.readsWith!('@interactions')).toBe(false);
  await expect(kind.open(null)).rejects.toThrow('name it');
});
