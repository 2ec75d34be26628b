import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FILE_ID } from '../domain/body.ts';
import type { AccountId } from '../domain/ids.ts';
import { Periodic } from '../system/periodic.ts';
import { serviceContract } from '../system/service.contract.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { Spool } from './spool.ts';
import { createSweeper, SWEEP_EVERY_MS } from './sweeper.ts';

const BYTES_MAX = 100;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
  folders.push(folder);
  return join(folder, 'spool');
}

const aBot = (account: AccountId, isStranger = false, address = '') => ({
  account,
  address,
  isStranger,
});
const BOT = aBot('telegram:1');
const NOTHING = async () => [];
const of = (content: string) => Readable.from([Buffer.from(content)]);

describe('the spool', () => {
  let dir: string;
  let spool: Spool;
  beforeEach(async () => {
    dir = makeFolder();
    spool = await Spool.open({ dir, bytesMax: BYTES_MAX });
  });

  async function kept(content: string): Promise<string> {
    const received = await spool.receive(of(content), BOT);
    if (received.kind !== 'kept') throw new Error(received.kind);
    return received.id;
  }

  test('keeps a file under its content, once', async () => {
    const [one, same, other] = await Promise.all(['a', 'a', 'bb'].map(kept));
    expect(one).toMatch(FILE_ID);
    expect(same).toBe(one);
    expect(readdirSync(dir).sort()).toEqual([one!, other!].sort());
    expect(readFileSync(join(dir, one!), 'utf8')).toBe('a');
    expect(await text(spool.read(other!))).toBe('bb');
    expect(spool.bytes).toBe(3);
  });

  test('a pinned file stays, an unpinned one that nobody needs goes', async () => {
    const id = await kept('a');
    expect(await spool.sweep(NOTHING)).toBe(0);
    spool.unpin(id);
    expect(await spool.sweep(async () => [id])).toBe(0);
    expect(await spool.sweep(NOTHING)).toBe(1);
    expect(spool.has(id)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
    expect(spool.bytes).toBe(0);
  });

  test('what was never handed on goes at once, unless it is another’s too', async () => {
    const [id] = await Promise.all([kept('a'), kept('a')]);
    spool.discard(id);
    expect(spool.has(id)).toBe(true);
    spool.unpin(id);
    await kept('a');
    spool.discard(id);
    expect(spool.has(id)).toBe(true);
    const other = await kept('b');
    spool.discard(other);
    expect(readdirSync(dir)).toEqual([id]);
  });

  test('what comes, is accepted and let go while the journal is asked is not swept', async () => {
    const id = await kept('a');
    spool.unpin(id);
    const removed = await spool.sweep(async () => {
      // Asked before the second delivery is written, answered after.
      spool.unpin(await kept('a'));
      return [];
    });
    expect(removed).toBe(0);
    expect(spool.has(id)).toBe(true);
  });

  test('a bound on all files together, also of those that arrive at once', async () => {
    const many = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        spool.receive(of(String(i).repeat(40)), aBot(`telegram:${i}`)),
      ),
    );
    expect(many.filter(({ kind }) => kind === 'kept')).toHaveLength(2);
    expect(many.filter(({ kind }) => kind === 'full')).toHaveLength(3);
    expect(spool.bytes).toBe(80);
    expect(readdirSync(dir)).toHaveLength(2);
  });

  test('no account fills it for all, and strangers leave a quarter to the configured', async () => {
    const ask = async (n: number, by: ReturnType<typeof aBot>) => {
      const received = await spool.receive(of(`${n}`.padEnd(25, 'x')), by);
      return received.kind === 'kept' ? received.id : received.kind;
    };
    const greedy = aBot('telegram:5', true, '10.0.0.5');
    const held = [await ask(1, greedy), await ask(2, greedy)];
    expect(held.every((id) => FILE_ID.test(id))).toBe(true);
    expect(await ask(2.5, greedy)).toBe('full');
    expect(await ask(3, aBot('telegram:6', true, '10.0.0.5')), 'the same address').toBe('full');
    expect(await ask(4, aBot('telegram:7', true, '10.0.0.7'))).toMatch(FILE_ID);
    expect(await ask(5, BOT), 'a configured one').toMatch(FILE_ID);
    // It has its room again when its files are gone.
    for (const id of held) spool.discard(id);
    expect(await ask(6, greedy)).toMatch(FILE_ID);
  });

  test('what was there at the start counts for nobody, and gives its room when it goes', async () => {
    spool.unpin(await kept('x'.repeat(40)));
    const next = await Spool.open({ dir, bytesMax: BYTES_MAX });
    expect(next.bytes).toBe(40);
    expect((await next.receive(of('y'.repeat(61)), BOT)).kind).toBe('full');
    await next.sweep(NOTHING);
    expect(next.bytes).toBe(0);
    expect((await next.receive(of('y'.repeat(50)), BOT)).kind).toBe('kept');
  });

  test('a sender that breaks off leaves nothing', async () => {
    const broken = new Readable({ read() {} });
    broken.push(Buffer.from('abc'));
    const received = spool.receive(broken, BOT);
    broken.destroy(new Error('cut'));
    expect(await received).toEqual({ kind: 'broken', size: expect.any(Number) });
    expect(readdirSync(dir)).toEqual([]);
    expect(spool.bytes).toBe(0);
  });

  test('a new process finds what is whole and removes what is not', async () => {
    const id = await kept('abc');
    writeFileSync(join(dir, '7.part'), 'half');
    writeFileSync(join(dir, 'README'), 'not ours');
    const next = await Spool.open({ dir, bytesMax: BYTES_MAX });
    expect(readdirSync(dir).sort()).toEqual([id, 'README'].sort());
    expect(next.has(id)).toBe(true);
    expect(next.bytes).toBe(3);
  });
});

describe('the sweeper', () => {
  test('asks again when the journal fails, and not for an empty spool', async () => {
    const clock = virtualClock(0);
    const spool = await Spool.open({ dir: makeFolder(), bytesMax: BYTES_MAX });
    let asked = 0;
    const failures: unknown[] = [];
    const inUse = async () => {
      asked += 1;
      if (asked === 1) throw new Error('disk full');
      return [];
    };
    const periodic = new Periodic(clock, ({ kind }) => kind === 'failed' && failures.push(kind));
    const sweeper = createSweeper({ periodic, spool, inUse });
    await sweeper.start();
    expect(asked).toBe(0);
    const received = await spool.receive(of('a'), BOT);
    if (received.kind === 'kept') spool.unpin(received.id);
    await clock.run(SWEEP_EVERY_MS);
    expect(failures).toHaveLength(1);
    await clock.run(2 * SWEEP_EVERY_MS);
    expect(spool.isEmpty).toBe(true);
    await clock.run(5 * SWEEP_EVERY_MS);
    expect(asked).toBe(2);
    await sweeper.stop(0);
  });
});

serviceContract('sweeper', async () => {
  const clock = virtualClock(0);
  const spool = await Spool.open({ dir: makeFolder(), bytesMax: BYTES_MAX });
  // Held, so that there is always something to ask about.
  await spool.receive(of('a'), BOT);
  let deeds = 0;
  let held: Promise<void> | null = null;
  const { promise, resolve } = Promise.withResolvers<void>();
  const inUse = async () => {
    deeds += 1;
    await held;
    return [];
  };
  const work = {
    async begin() {
      held = promise;
      await clock.run(clock.now() + SWEEP_EVERY_MS);
    },
    finish: resolve,
  };
  const service = createSweeper({ periodic: new Periodic(clock), spool, inUse });
  return { service, clock, deeds: () => deeds, work };
});
