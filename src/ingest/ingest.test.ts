import { describe, expect, test } from 'vitest';
import type { Read } from '../platforms/history.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { aPage, aPost, aService, KIND, posts, START, someChanges } from './ingest.fixture.ts';

const HOUR_MS = 3_600_000;
const FIXED = { pace: 'fixed' } as const;
const FAILED: Read<never> = { kind: 'failed', reason: 'network', detail: 'unreachable' };

async function started(options: Parameters<typeof aService>[0] = {}) {
  const made = aService(options);
  await made.service.start();
  const { source } = await made.service.add(KIND, '@news');
  return { ...made, id: source.id };
}

const progressOf = async ({ service, id }: Awaited<ReturnType<typeof started>>) =>
  JSON.parse((await service.store.source(id))!.progress);

describe('a source', () => {
  test('is read from its beginning, then by what is new', async () => {
    const at = await started({ settings: FIXED });
    at.answers.history = (after) => (after === '0' ? aPage(posts(1, 3), { mark: '7' }) : aPage([]));
    await at.run(1_000);
    expect(at.calls.map(({ method, of }) => [method, of])).toEqual([
      ['resolve', '@news'],
      ['history', '0'],
      ['changes', '7'],
    ]);
    expect(at.service.get(at.id)).toMatchObject({ lastId: '3', mode: 'incremental' });
    at.answers.changes = () => someChanges({ posts: [aPost(4)], deleted: ['2'], mark: '9' });
    await at.run(300_000);
    expect(at.made('changes')).toHaveLength(2);
    expect(at.made('resolve')).toHaveLength(1);
    expect(await at.service.store.post({ source: at.id, id: '2' })).toMatchObject({
      deletedAt: at.made('changes')[1]!.at,
    });
    expect(at.events.filter(({ kind }) => kind === 'posts')).toEqual([
      { kind: 'posts', source: at.id, ids: ['1', '2', '3'] },
      { kind: 'posts', source: at.id, ids: ['4'] },
    ]);
    expect(at.service.counters).toMatchObject({ posts: { historical: 3, incremental: 1 } });
  });

  test('a look that finds nothing moves no mark, and neither does one that fails', async () => {
    const at = await started({ settings: FIXED });
    at.answers.history = () => aPage(posts(1, 3), { mark: '7' });
    at.answers.changes = () => someChanges({ mark: '7' });
    await at.run(1_000);
    const before = await progressOf(at);
    await at.run(300_000);
    expect(await progressOf(at)).toEqual(before);
    at.answers.changes = () => FAILED;
    await at.run(400_000);
    const { failure, ...after } = await progressOf(at);
    expect(failure).toMatchObject({ reason: 'network', count: expect.any(Number) });
    expect(after).toEqual({ ...before, failure: undefined, succeededAt: after.succeededAt });
    expect(after.parsedAt).toBe(before.parsedAt);
  });

  test('is read historically again when its last success is too old', async () => {
    const at = await started({ settings: FIXED });
    at.answers.history = () => aPage(posts(1, 3), { mark: '7' });
    at.answers.changes = () => someChanges({ mark: '7' });
    await at.run(1_000);
    await at.service.pause(at.id);
    await at.run(25 * HOUR_MS);
    at.answers.history = (after) => aPage(after === '3' ? [aPost(4)] : []);
    at.answers.byId = (ids) => ({ kind: 'read', value: ids.map((id) => aPost(Number(id))) });
    await at.service.resume(at.id);
    await at.run(1_000);
    expect(at.calls.slice(-3).map(({ method, of }) => [method, of])).toEqual([
      ['history', '3'],
      ['by_id', ['1', '2', '3']],
      ['changes', '1'],
    ]);
    expect(at.service.counters.forcedStale).toBe(1);
    expect(at.events).toContainEqual({ kind: 'forced', source: at.id, reason: 'stale_lpa' });
    const forced = { name: 'parser_mode_forced_total', labels: { reason: 'stale_lpa' }, value: 1 };
    expect(at.service.samples()).toContainEqual(forced);
  });

  test('asked for by hand is read at once, paused or not, and tells how far it is', async () => {
    const at = await started({ settings: FIXED });
    await at.run(1_000);
    await at.service.pause(at.id);
    const page = Promise.withResolvers<ReturnType<typeof someChanges>>();
    at.answers.changes = () => page.promise;
    await at.run(HOUR_MS);
    expect(at.made('changes')).toHaveLength(1);
    expect(at.service.run(at.id)).toBe(true);
    expect(at.service.run(99)).toBe(false);
    await at.run(200);
    expect(at.service.get(at.id)).toMatchObject({ run: { mode: 'incremental', added: 0 } });
    page.resolve(someChanges({ posts: [aPost(1)], mark: '9' }));
    await at.run(200);
    expect(at.service.get(at.id)).toMatchObject({ run: null, state: 'paused', lastId: '1' });
    await at.run(HOUR_MS);
    expect(at.made('changes')).toHaveLength(2);
  });

  test('that is refused is dead at once; resumed, it is tried again', async () => {
    const refused = { kind: 'refused', reason: 'no_channel', detail: 'no such name' } as const;
    const at = await started({ answers: { resolve: () => refused } });
    await at.run(HOUR_MS);
    expect(at.calls).toHaveLength(1);
    expect(at.service.dead()).toMatchObject([{ id: at.id, failure: { reason: 'no_channel' } }]);
    await at.service.resume(at.id);
    await at.run(1_000);
    expect(at.calls).toHaveLength(2);
    expect(await at.service.store.source(at.id)).toMatchObject({ state: 'dead' });
  });

  test('of which changes are refused is read by pages, and its tail compared each hour', async () => {
    const refused = { kind: 'refused', reason: 'not_joined', detail: 'join it' } as const;
    const at = await started({ settings: FIXED, answers: { changes: () => refused } });
    at.answers.history = (after) => aPage(after === '0' ? posts(1, 3) : [], { newestId: '3' });
    at.answers.byId = (ids) => ({ kind: 'read', value: ids.map((id) => aPost(Number(id))) });
    await at.run(1_000);
    expect(at.service.get(at.id)).toMatchObject({ state: 'active', lastId: '3', failure: null });
    at.answers.byId = () => ({ kind: 'read', value: [aPost(1), aPost(3)] });
    await at.run(2 * HOUR_MS);
    expect(at.made('changes')).toHaveLength(1);
    expect(at.made('by_id').length).toBeLessThanOrEqual(3);
    const gone = await at.service.store.post({ source: at.id, id: '2' });
    expect(gone?.deletedAt).toBeGreaterThan(START);
    await at.run(23 * HOUR_MS);
    expect(at.made('changes')).toHaveLength(2);
  });

  test('that only fails is dead after many looks and a day, not sooner', async () => {
    const at = await started({ answers: { history: () => FAILED } });
    await at.run(23.9 * HOUR_MS);
    expect(at.service.get(at.id)).toMatchObject({ state: 'active' });
    await at.run(3 * HOUR_MS);
    expect(at.service.get(at.id)).toMatchObject({ state: 'dead', failure: { reason: 'network' } });
    expect(at.events.at(-1)).toMatchObject({ kind: 'dead', reason: 'network' });
  });

  test('is removed with its posts', async () => {
    const at = await started({ answers: { history: () => aPage(posts(1, 90)) } });
    await at.run(1_000);
    expect(at.service.remove(at.id)).toBe(true);
    await at.run(1_000);
    expect(at.service.list()).toEqual([]);
    expect(await at.service.store.source(at.id)).toBeNull();
    expect(at.service.remove(at.id)).toBe(false);
  });

  test('a long history gives way to others, and goes on', async () => {
    const at = await started();
    at.answers.history = (after) => {
      const from = Number(after) + 1;
      return aPage(posts(from, from + 9), { newestId: '1000' });
    };
    await at.run(20_000);
    expect(at.service.get(at.id)).toMatchObject({ lastId: '1000', mode: 'incremental' });
    expect(at.made('history')).toHaveLength(100);
    expect(at.service.counters.looks).toEqual({ historical: 2, incremental: 1 });
  });
});

describe('calls', () => {
  test('are repeated three times with growing pauses where the wire failed', async () => {
    const at = await started({ answers: { history: () => FAILED } });
    await at.run(20_000);
    const times = at.made('history').map(({ at: time }) => time - START);
    expect(times).toHaveLength(4);
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    for (const [i, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(1_000 * 2 ** i);
      expect(pause).toBeLessThan(1_250 * 2 ** i + 1);
    }
    expect(at.service.counters.retries.network).toBe(3);
  });

  test('that hang are given up, and one that throws is a failed one', async () => {
    const at = await started({ answers: { history: () => new Promise(() => {}) } });
    await at.run(61_000);
    expect(at.service.counters.retries.timeout).toBe(1);
    at.answers.history = () => {
      throw new Error('broken');
    };
    await at.run(300_000);
    expect(at.service.get(at.id)?.failure).toMatchObject({ reason: 'server', detail: 'broken' });
  });

  test('wait as long as the platform says, after a restart, too; other methods go on', async () => {
    const waits: Read<never> = { kind: 'wait', waitMs: 3 * HOUR_MS };
    const at = await started({ settings: FIXED });
    await at.run(1_000);
    at.answers.changes = () => waits;
    await at.run(301_000);
    const [, told] = at.made('changes');
    expect(at.made('changes')).toHaveLength(2);
    expect(at.service.waits()).toMatchObject([{ reader: KIND, method: 'changes' }]);
    expect(at.service.counters.waitMs).toBe(3 * HOUR_MS);
    // Neither by hand nor by another process.
    at.service.run(at.id);
    await at.run(HOUR_MS);
    expect(at.made('changes')).toHaveLength(2);
    await at.service.stop(1_000);
    const { clock, disk } = at;
    const next = aService({ settings: FIXED, clock, disk, token: 'another' });
    await next.service.start();
    await next.service.add(KIND, '@other');
    await next.run(10_000);
    expect(next.made('history')).toHaveLength(1);
    await next.run(3 * HOUR_MS);
    const first = next.made('changes')[0]!.at;
    expect(first).toBeGreaterThanOrEqual(told!.at + 3 * HOUR_MS);
    expect(first).toBeLessThanOrEqual(told!.at + 3 * HOUR_MS + 3_000 + 200);
  });
});

describe('readers', () => {
  const accounts = ['1', '2', '3'].map((id) => ({ id, session: 'x' }));

  test('sources are spread over the accounts, and leave one that is logged out', async () => {
    const { service, calls, run, answers } = aService({ accounts });
    await service.start();
    for (let i = 0; i < 30; i++) await service.add(KIND, `@${i}`);
    await run(30_000);
    const used = () => new Set(calls.map(({ account }) => account));
    expect(used().size).toBe(3);
    const [gone] = [...used()];
    calls.length = 0;
    answers.changes = () =>
      calls.at(-1)!.account === gone ? { kind: 'logged_out', detail: 'revoked' } : someChanges();
    await run(2 * HOUR_MS);
    expect(calls.filter(({ account }) => account === gone)).toHaveLength(1);
    expect(used().size).toBe(3);
    expect(service.list().every(({ trouble }) => trouble === null)).toBe(true);
    answers.changes = () => someChanges();
    await service.loggedIn(KIND, gone!);
    calls.length = 0;
    await run(2 * HOUR_MS);
    expect(used()).toContain(gone);
  });

  test('one account logged out and no other: nothing is asked until someone has logged in', async () => {
    const one = [{ id: '1', session: 'x' }];
    const at = await started({ accounts: one, settings: FIXED });
    at.answers.history = () => ({ kind: 'logged_out', detail: 'revoked' });
    await at.run(HOUR_MS);
    expect(at.made('history')).toHaveLength(1);
    expect(at.service.get(at.id)?.trouble).toMatch(/log in/);
    // Told when it begins, not at each try.
    expect(at.events.filter(({ kind }) => kind === 'unread')).toEqual([
      { kind: 'unread', source: at.id, detail: 'revoked' },
      { kind: 'unread', source: at.id, detail: 'its accounts are logged out: log in' },
    ]);
    at.answers.history = () => aPage(posts(1, 2));
    // Between two tries: it is read at once.
    await at.run(10_000);
    await at.service.loggedIn(KIND, '1');
    await at.run(1_000);
    expect(at.service.get(at.id)).toMatchObject({ lastId: '2', trouble: null });
  });

  test('the lease is one process’s; another waits until it is over', async () => {
    const first = await started({ settings: FIXED });
    await first.run(1_000);
    const { clock, disk } = first;
    const { journal } = createMemoryStore(disk);
    // The same host's name, as after a restart.
    const lease = { name: KIND, token: 'other', node: 'one', ttlMs: 60_000 };
    expect(await journal.ingest.takeLease({ ...lease, now: clock.now() })).toMatchObject({
      kind: 'busy',
    });
    const second = aService({ clock, disk, token: 'second', settings: FIXED });
    await second.service.start();
    second.service.run(first.id);
    await second.run(50_000);
    expect(second.calls).toEqual([]);
    expect(second.service.counters.lock.busy).toBeGreaterThan(0);
    expect(second.service.get(first.id)?.trouble).toMatch(/node one has the lease/);
    // The first is dead: its store has been opened by another.
    await second.run(60_000);
    expect(second.service.counters.lock.acquired).toBe(1);
    expect(second.service.health()).toMatchObject({ status: 'ok', lockOwner: 'one' });
  });

  test('a lease that was lost closes the connection, and what was under way is refused', async () => {
    const at = await started({ settings: FIXED });
    await at.run(1_000);
    const call = Promise.withResolvers<ReturnType<typeof someChanges>>();
    at.answers.changes = () => call.promise;
    at.service.run(at.id);
    await at.run(1_000);
    const later = { now: at.clock.now() + 61_000, ttlMs: 60_000 };
    const thief = { name: KIND, token: 'thief', node: 'two', ...later };
    expect(await at.service.store.takeLease(thief)).toMatchObject({ kind: 'held', epoch: 2 });
    await at.run(25_000);
    expect(at.service.counters.lock.lost).toBe(1);
    expect(at.closed()).toBe(1);
    call.resolve(someChanges({ posts: [aPost(9)], mark: '50' }));
    await at.run(1_000);
    expect(await at.service.store.post({ source: at.id, id: '9' })).toBeNull();
    expect(at.service.get(at.id)?.trouble).toMatch(/node two has the lease/);
    expect(at.service.health().lockOwner).toBe('two');
  });

  test('a lease that cannot be renewed is over in time: nothing is called after that', async () => {
    const at = await started({ settings: { ...FIXED, intervalMs: 10_000 } });
    await at.run(30_000);
    at.service.store.takeLease = () => new Promise(() => {});
    const before = at.calls.length;
    await at.run(60_000);
    expect(at.calls.length).toBeGreaterThan(before);
    at.calls.length = 0;
    await at.run(HOUR_MS);
    expect(at.calls).toEqual([]);
  });

  test('a connection that does not come is given up, and tried again', async () => {
    const at = await started({ accounts: [{ id: '1', session: 'x' }], opens: 'never' });
    await at.run(31_000);
    expect(at.service.get(at.id)?.trouble).toMatch(/not connected/);
    expect(await at.service.accounts()).toMatchObject([
      { account: '1', state: 'ok', isOpen: false },
    ]);
  });

  test('what another node has by partition is left to it', async () => {
    const nodes = () => ['one', 'two'];
    const ones = aService({ nodes, accounts });
    const twos = aService({ nodes, accounts, node: 'two', token: 'two' });
    for (const { service, run } of [ones, twos]) {
      await service.start();
      for (let i = 0; i < 30; i++) await service.add(KIND, `@${i}`);
      await run(30_000);
    }
    const read = (of: typeof ones) =>
      of.calls.map(({ account, method, of: what }) => `${account} ${method} ${what}`);
    const both = new Set([...read(ones), ...read(twos)].filter((call) => call.includes('resolve')));
    expect(both.size).toBe(30);
    expect(read(ones).filter((call) => call.includes('resolve')).length).toBeLessThan(30);
  });
});

describe('health', () => {
  test('from the age of the last tick', async () => {
    const { service, run } = aService({ settings: FIXED });
    expect(service.health()).toMatchObject({ status: 'down', lastTickAt: 0 });
    await service.start();
    await run(HOUR_MS);
    expect(service.health()).toMatchObject({ status: 'ok', intervalMs: 300_000 });
    service.counters.lastTickAt -= 601_000;
    expect(service.health().status).toBe('stale');
    service.counters.lastTickAt -= HOUR_MS;
    expect(service.health().status).toBe('down');
    await service.stop(0);
    expect(service.health().status).toBe('down');
  });

  test('ticks come in time for a short interval, also where nothing is followed', async () => {
    const { service, run } = aService({ settings: { ...FIXED, intervalMs: 1_000 } });
    await service.start();
    for (let second = 0; second < 60; second++) {
      await run(1_000);
      expect(service.health().status).toBe('ok');
    }
    await service.stop(0);
  });

  test('no more looks at once than allowed, however many are due; marks of the oldest hundred', async () => {
    let now = 0;
    let most = 0;
    const accounts = Array.from({ length: 8 }, (_, i) => ({ id: String(i), session: 'x' }));
    const { service, run, clock, answers } = aService({ accounts });
    answers.history = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => clock.schedule(clock.now() + 50, resolve));
      now -= 1;
      return aPage([]);
    };
    await service.start();
    for (let i = 0; i < 300; i++) await service.add(KIND, `@${i}`);
    await run(60_000);
    expect(most).toBe(4);
    expect(service.counters.looks.historical).toBe(300);
    const ages = service.samples().filter(({ name }) => name === 'parser_hwm_age_seconds');
    expect(ages).toHaveLength(100);
  });
});
