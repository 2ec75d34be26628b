import { connectTcp } from '@fuman/node';
import { PaddedIntermediatePacketCodec } from '@mtcute/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SimChannel, SimMtprotoOptions } from '../../../../sim/sim.ts';
import { type Clock, sleep, systemClock } from '../../../../system/clock.ts';
import type { Channel, ChannelReader, Read } from '../../../history.ts';
import { PHONE, type Simulated, simulated } from '../simulated.fixture.ts';
import { clientOf } from './client.ts';
import { MtprotoReader } from './mtproto.ts';

// A login takes a while: whoever needs no rules of its own shares one world, with a channel for each test.
let shared: Simulated;
let sharedReader: ChannelReader;
const own: Simulated[] = [];

let world: Simulated;
let news: SimChannel;
let reader: ChannelReader;
let channel: Channel;
let channels = 0;
// How many calls were made before the test.
let before = 0;

beforeAll(async () => {
  shared = await simulated();
  sharedReader = await shared.reader();
});

beforeEach(() => enter(shared, sharedReader));

afterEach(async () => {
  shared.sim.model.clearFaults();
  await Promise.all(own.splice(0).map((each) => each.close()));
});

afterAll(() => shared.close());

async function enter(entered: Simulated, entering: ChannelReader): Promise<void> {
  world = entered;
  reader = entering;
  channels++;
  const facts = { id: 1_234_567_000n + BigInt(channels), title: 'Daily News' };
  news = world.sim.model.addChannel({ ...facts, name: `daily_news_${channels}` });
  channel = valueIn(await reader.resolve(`@${news.name}`));
  before = world.sim.model.calls.length;
}

async function begin(options: Partial<SimMtprotoOptions> = {}, clock?: Clock): Promise<void> {
  const made = await simulated({ options, ...(clock === undefined ? null : { clock }) });
  own.push(made);
  await enter(made, await made.reader());
}

function valueIn<T>(read: Read<T>): T {
  if (read.kind !== 'read') throw new Error(`not read: ${JSON.stringify(read)}`);
  return read.value;
}

function publish(count: number): void {
  for (let n = 0; n < count; n++) news.post({ text: `post ${n}` });
}

function made(method: string): number {
  const calls = world.sim.model.calls.slice(before);
  return calls.filter((call) => call.method === method).length;
}

// Up to the newest id, as ingest does: an empty page moves on by its length.
async function readAll(limit: number): Promise<{ texts: string[]; pages: number }> {
  const texts: string[] = [];
  let after = 0;
  for (let pages = 1; ; pages++) {
    const { posts, newestId } = valueIn(await reader.history(channel, String(after), limit));
    texts.push(...posts.map(({ text }) => text));
    after = posts.length > 0 ? Number(posts.at(-1)!.id) : after + limit;
    if (newestId !== null && after >= Number(newestId)) return { texts, pages };
  }
}

const textsOf = () => news.posts().map(({ text }) => text);

describe('a channel', () => {
  test('is found by its name, in any of its forms', async () => {
    expect(channel).toEqual({
      id: String(news.id),
      access: String(news.accessHash),
      name: news.name,
      title: 'Daily News',
    });
    const { name: plain } = news;
    for (const name of [plain, `https://t.me/${plain}`, `https://t.me/s/${plain}`]) {
      expect(valueIn(await reader.resolve(name))).toEqual(channel);
    }
  });

  test('that is not there, is private, or is asked for with a wrong hash is refused', async () => {
    const none = { kind: 'refused', reason: 'no_such_channel' };
    expect(await reader.resolve('@nobody_here')).toMatchObject(none);
    const wrong = { ...channel, access: '1' };
    expect(await reader.history(wrong, '0', 10)).toMatchObject(none);
    news.isPrivate = true;
    const hidden = { kind: 'refused', reason: 'private', detail: 'CHANNEL_PRIVATE' };
    expect(await reader.history(channel, '0', 10)).toEqual(hidden);
  });

  test('is read upwards, page by page, 251 posts and no more calls than needed', async () => {
    publish(251);
    expect(await readAll(100)).toEqual({ texts: textsOf(), pages: 3 });
    // One more for the newest id, when the page was not full.
    expect(made('messages.getHistory')).toBe(4);
    const { posts, mark, newestId } = valueIn(await reader.history(channel, '200', 10));
    expect(posts.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `${201 + n}`));
    expect({ mark, newestId }).toEqual({ mark: String(news.pts), newestId: null });
  });

  test('without a post says so', async () => {
    const page = valueIn(await reader.history(channel, '0', 100));
    expect(page).toEqual({ posts: [], newestId: '1', mark: String(news.pts) });
  });

  test('a note of the platform is no post, and the newest id is a post’s', async () => {
    publish(3);
    news.note();
    const { posts, newestId } = valueIn(await reader.history(channel, '0', 100));
    expect(posts.map(({ id }) => id)).toEqual(['2', '3', '4']);
    expect(newestId).toBe('4');
  });

  test('a page of notes alone is not the end', async () => {
    publish(2);
    for (let n = 0; n < 5; n++) news.note();
    publish(1);
    const page = valueIn(await reader.history(channel, '3', 5));
    expect(page).toMatchObject({ posts: [], newestId: '9' });
  });

  test('albums, media, authors and edits are kept', async () => {
    const photo = { kind: 'photo', name: null, bytes: 70_000 } as const;
    const video = { kind: 'video', name: 'clip.mp4', bytes: 9_000_000 } as const;
    const groupId = news.newGroup();
    news.post({ text: 'two pictures', media: photo, groupId, author: 'Ann' });
    news.post({ text: 'between them' });
    news.post({ text: '', media: video, groupId });
    news.edit(3, 'edited');
    const { posts } = valueIn(await reader.history(channel, '0', 100));
    const group = BigInt.asUintN(64, groupId).toString();
    const reference = expect.any(String);
    expect(posts).toMatchObject([
      { text: 'two pictures', author: 'Ann', groupId: group, media: [{ ...photo, reference }] },
      { text: 'edited', author: null, groupId: null, media: [] },
      { text: '', groupId: group, media: [{ ...video, reference }] },
    ]);
    const [first, second] = posts;
    expect(first!.editedAt).toBeNull();
    expect(second!.editedAt).toBeGreaterThanOrEqual(second!.date);
    expect(second!.date % 1000).toBe(0);
  });

  test('of single posts, those that are left come', async () => {
    publish(5);
    news.delete([3]);
    const found = valueIn(await reader.byId!(channel, ['4', '3', '2', '99']));
    expect(found.map(({ id }) => id)).toEqual(['2', '4']);
  });
});

describe('changes', () => {
  test('are new posts, edits and deletions since the mark', async () => {
    publish(5);
    const mark = String(news.pts);
    publish(3);
    news.edit(2, 'edited');
    news.delete([3, 4]);
    const changes = valueIn(await reader.changes!(channel, mark, 100));
    expect(changes).toMatchObject({
      kind: 'changes',
      posts: [{ id: '2', text: 'edited' }, { id: '7' }, { id: '8' }, { id: '9' }],
      deleted: ['3', '4'],
      mark: String(news.pts),
      isLast: true,
      notBeforeMs: 0,
    });
    expect(valueIn(await reader.changes!(channel, String(news.pts), 100))).toEqual({
      kind: 'changes',
      posts: [],
      deleted: [],
      mark: String(news.pts),
      isLast: true,
      notBeforeMs: 0,
    });
  });

  test('come in parts', async () => {
    const mark = String(news.pts);
    publish(15);
    const first = valueIn(await reader.changes!(channel, mark, 10));
    expect(first).toMatchObject({ kind: 'changes', isLast: false });
    const second = valueIn(await reader.changes!(channel, first.mark, 10));
    expect(second).toMatchObject({ isLast: true, mark: String(news.pts) });
    const posts = [first, second].flatMap((part) => (part.kind === 'changes' ? part.posts : []));
    expect(posts.map(({ text }) => text)).toEqual(textsOf());
  });

  test('that are too many are not told; reading again from the last id finds the posts', async () => {
    publish(5);
    const mark = String(news.pts);
    publish(120);
    const changes = valueIn(await reader.changes!(channel, mark, 100));
    expect(changes).toEqual({ kind: 'too_long', mark: String(news.pts) });
    expect((await readAll(100)).texts).toEqual(textsOf());
  });

  test('with a mark that never was are refused', async () => {
    const refused = { kind: 'refused', detail: 'PERSISTENT_TIMESTAMP_INVALID' };
    expect(await reader.changes!(channel, '999', 100)).toMatchObject(refused);
  });
});

test('how long the platform wishes not to be asked again is told', async () => {
  await begin({ differenceTimeoutS: 30 });
  const changes = valueIn(await reader.changes!(channel, String(news.pts), 100));
  expect(changes).toMatchObject({ notBeforeMs: 30_000 });
});

describe('short and empty pages', () => {
  test('are not the end where deleted posts are counted', async () => {
    await begin({ countsDeleted: true });
    publish(400);
    news.delete(Array.from({ length: 130 }, (_, n) => 120 + n));
    const empty = valueIn(await reader.history(channel, '119', 100));
    expect(empty).toMatchObject({ posts: [], newestId: '401' });
    expect((await readAll(100)).texts).toEqual(textsOf());
  });

  test('the newest id is found below deleted ones, and unknown below too many', async () => {
    await begin({ countsDeleted: true });
    publish(300);
    news.delete(Array.from({ length: 20 }, (_, n) => 282 + n));
    const some = valueIn(await reader.history(channel, '281', 100));
    expect(some).toMatchObject({ posts: [], newestId: '281' });
    news.delete(Array.from({ length: 150 }, (_, n) => 132 + n));
    const many = valueIn(await reader.history(channel, '131', 100));
    expect(many).toMatchObject({ posts: [], newestId: null });
    news.delete(Array.from({ length: 131 }, (_, n) => 1 + n));
    const none = valueIn(await reader.history(channel, '0', 100));
    expect(none).toMatchObject({ posts: [], newestId: '0' });
  });

  test('nor where the server just gives less', async () => {
    publish(60);
    const fault = { kind: 'short_page', posts: 7 } as const;
    world.sim.model.addFault({ fault, method: 'messages.getHistory', times: 4 });
    expect((await readAll(50)).texts).toEqual(textsOf());
  });
});

describe('waits', () => {
  test('come back at once, whole, and stop no other method', async () => {
    await begin();
    publish(3);
    world.sim.model.freeze(PHONE, 'messages.getHistory', 10_800);
    const read = await reader.history(channel, '0', 100);
    expect(read).toMatchObject({ kind: 'wait' });
    expect(read.kind === 'wait' && Math.round(read.waitMs / 1000)).toBe(10_800);
    expect(made('messages.getHistory')).toBe(1);
    expect(valueIn(await reader.byId!(channel, ['2']))).toHaveLength(1);
  });

  test('a reader that honours them makes no call inside one', async () => {
    const rule = { method: 'messages.getHistory', count: 2, perMs: 60_000, waitS: 1 };
    await begin({ floods: [rule] });
    publish(250);
    const texts: string[] = [];
    let after = '0';
    let waits = 0;
    while (texts.length < 250) {
      const read = await reader.history(channel, after, 100);
      if (read.kind === 'wait') {
        waits++;
        await sleep(systemClock(), read.waitMs);
        continue;
      }
      texts.push(...valueIn(read).posts.map(({ text }) => text));
      after = valueIn(read).posts.at(-1)!.id;
    }
    expect(texts).toEqual(textsOf());
    expect(waits).toBeGreaterThan(0);
    expect(world.sim.model.calls.filter((call) => call.isInsideWait)).toEqual([]);
  });
});

describe('trouble', () => {
  test('a connection that breaks is mended within the call', async () => {
    publish(5);
    for (const kind of ['cut_before', 'cut_after'] as const) {
      world.sim.model.addFault({ fault: { kind }, method: 'messages.getHistory' });
      expect((await readAll(3)).texts).toEqual(textsOf());
    }
    world.sim.cut();
    expect((await readAll(3)).texts).toEqual(textsOf());
    expect(world.sim.connections).toBe(1);
    expect(made('auth.sendCode') + made('contacts.resolveUsername')).toBe(0);
  });

  test('a changed salt is taken over', async () => {
    publish(5);
    world.sim.changeSalts();
    expect((await readAll(3)).texts).toEqual(textsOf());
  });

  test('a client whose clock is wrong is corrected', async () => {
    const clock = systemClock();
    const ahead = { ...clock, now: () => clock.now() + 600_000 };
    await begin({}, ahead);
    publish(5);
    expect((await readAll(3)).texts).toEqual(textsOf());
  });

  test('an answer that comes late comes', async () => {
    publish(1);
    world.sim.model.addFault({ fault: { kind: 'delay', ms: 50 } });
    expect((await readAll(100)).texts).toEqual(textsOf());
  });

  test('an error of the server is a failure, and is not repeated', async () => {
    const fault = { kind: 'error', code: 500, text: 'RPC_CALL_FAIL' } as const;
    world.sim.model.addFault({ fault, method: 'channels.getMessages', times: 9 });
    const failed = { kind: 'failed', reason: 'server', detail: 'RPC_CALL_FAIL' };
    expect(await reader.byId!(channel, ['1'])).toEqual(failed);
    expect(made('channels.getMessages')).toBe(1);
  });

  test('an account that was logged out says so, and so does a session used twice', async () => {
    await begin();
    const twice = { kind: 'error', code: 406, text: 'AUTH_KEY_DUPLICATED' } as const;
    world.sim.model.addFault({ fault: twice });
    const out = { kind: 'logged_out', detail: 'AUTH_KEY_DUPLICATED' };
    expect(await reader.byId!(channel, ['1'])).toEqual(out);
    world.sim.model.logOut(PHONE);
    const gone = { kind: 'logged_out', detail: 'AUTH_KEY_UNREGISTERED' };
    expect(await reader.byId!(channel, ['1'])).toEqual(gone);
  });

  test('no answer is a time-out, and no server a lost connection', async () => {
    await begin();
    const client = await clientOf(world.access, await world.session());
    const hasty = new MtprotoReader(async () => client, 300);
    world.sim.model.addFault({
      fault: { kind: 'silence' },
      method: 'channels.getMessages',
      times: 999,
    });
    const timeout = { kind: 'failed', reason: 'timeout' };
    // Connected, however long that takes.
    const patience = { timeout: 30_000 };
    await expect.poll(() => hasty.byId(channel, ['1']), patience).toMatchObject(timeout);
    await world.sim.close();
    const lost = { kind: 'failed', reason: 'connection' };
    expect(await hasty.byId(channel, ['1'])).toMatchObject(lost);
    await hasty.close();
  });
});

test('an export is begun, used and known; one that nobody began is refused', async () => {
  const client = await clientOf(world.access, await world.session());
  const { id } = await client.call({ _: 'account.initTakeoutSession', messageChannels: true });
  const query = { _: 'updates.getState' } as const;
  const state = { _: 'updates.state' };
  expect(await client.call({ _: 'invokeWithTakeout', takeoutId: id, query })).toMatchObject(state);
  const other = client.call({ _: 'invokeWithTakeout', takeoutId: id.add(1), query });
  await expect(other).rejects.toMatchObject({ text: 'TAKEOUT_INVALID' });
  await client.destroy();
});

test('padded frames are understood, too', async () => {
  publish(3);
  const client = await clientOf(world.access, await world.session());
  await client.call({ _: 'help.getNearestDc' });
  await client.mt.network.changeTransport({
    connect: ({ ipAddress, port }) => connectTcp({ address: ipAddress, port }),
    packetCodec: () => new PaddedIntermediatePacketCodec(),
  });
  const padded = new MtprotoReader(async () => client);
  expect(valueIn(await padded.byId(channel, ['2', '3', '4']))).toHaveLength(3);
  await padded.close();
});
