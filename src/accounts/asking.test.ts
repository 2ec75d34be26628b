import { describe, expect, test } from 'vitest';
import type { Identified } from '../platforms/platform.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { ASKING_BOUNDS, type AskedIdentity, Asking, type AskingBounds } from './asking.ts';

const KNOWN: Identified = { kind: 'known', id: '1' };
const WRONG: Identified = { kind: 'refused', status: 401, detail: 'Unauthorized' };

function world(bounds: Partial<AskingBounds> = {}) {
  const clock = virtualClock(1_000_000);
  const asking = new Asking(clock, { ...ASKING_BOUNDS, ...bounds });
  const asked: string[] = [];
  const open = new Map<string, (answer: Identified) => void>();
  const ask = (digest: string, address: string | null, isLocal = false): Promise<AskedIdentity> =>
    asking.ask({
      digest,
      address,
      isLocal,
      ask() {
        asked.push(digest);
        return new Promise((resolve) => open.set(digest, resolve));
      },
    });
  // Answers pass through a handful of promises.
  const settled = () => clock.run(clock.now());
  const answer = async (digest: string, said: Identified) => {
    open.get(digest)!(said);
    await settled();
  };
  const answerAll = async (said: Identified) => {
    for (;;) {
      const waiting = [...open.keys()];
      if (waiting.length === 0) return;
      for (const digest of waiting) {
        open.get(digest)!(said);
        open.delete(digest);
      }
      await settled();
    }
  };
  return { clock, ask, asked, answer, answerAll, settled };
}

describe('addresses take turns', () => {
  test('whoever asks much waits for itself, and a newcomer is next', async () => {
    const { ask, asked, answer } = world({ inFlightMax: 1, reservedMax: 0 });
    for (let n = 0; n < 100; n++) void ask(`flood ${n}`, '10.0.0.1');
    void ask('newcomer', '10.0.0.2');
    await answer('flood 0', WRONG);
    await answer('flood 1', WRONG);
    expect(asked).toEqual(['flood 0', 'flood 1', 'newcomer']);
  });

  test('an address with many wrong tokens is told to come back, others are not', async () => {
    const { ask, asked, answerAll, clock } = world({ wrongBurst: 5 });
    const flood = Array.from({ length: 50 }, (_, n) => ask(`wrong ${n}`, '10.0.0.1'));
    await answerAll(WRONG);
    const kinds = (await Promise.all(flood)).map(({ kind }) => kind);
    // Those that were in flight when the fifth "no" came.
    expect(asked.length).toBeLessThanOrEqual(5 + ASKING_BOUNDS.inFlightMax);
    expect(kinds.slice(asked.length).every((kind) => kind === 'busy')).toBe(true);
    const busy = await ask('one more', '10.0.0.1');
    expect(busy).toMatchObject({ kind: 'busy' });
    const fresh = ask('fresh', '10.0.0.2');
    await answerAll(KNOWN);
    expect(await fresh).toEqual(KNOWN);
    await clock.run(clock.now() + (busy as { retryAfterS: number }).retryAfterS * 1000);
    const later = ask('one more', '10.0.0.1');
    await answerAll(KNOWN);
    expect(await later).toEqual(KNOWN);
  });

  test('valid tokens use nothing up', async () => {
    const { ask, answerAll } = world({ wrongBurst: 2 });
    const bots = Array.from({ length: 50 }, (_, n) => ask(`bot ${n}`, '10.0.0.1'));
    await answerAll(KNOWN);
    expect(new Set((await Promise.all(bots)).map(({ kind }) => kind))).toEqual(new Set(['known']));
  });
});

describe('bounds in all', () => {
  test('so many questions at once, then one in each time', async () => {
    const { ask, asked, answerAll, clock, settled } = world({ burst: 3, everyMs: 100 });
    for (let n = 0; n < 9; n++) void ask(`${n}`, `10.0.0.${n}`);
    await answerAll(KNOWN);
    expect(asked).toHaveLength(3);
    await clock.run(clock.now() + 100);
    await settled();
    expect(asked).toHaveLength(4);
    await answerAll(KNOWN);
    await clock.run(clock.now() + 200);
    await answerAll(KNOWN);
    expect(asked.length).toBeGreaterThanOrEqual(5);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test('those that wait are bounded, per address and in all', async () => {
    const bounds = { inFlightMax: 1, reservedMax: 0, waitingMax: 3, waitingPerAddressMax: 2 };
    const { ask } = world(bounds);
    let count = 0;
    const asks = (address: string) => ask(`${address} ${count++}`, address);
    void asks('a');
    void asks('a');
    void asks('a');
    expect(await asks('a')).toEqual({ kind: 'busy', retryAfterS: 1 });
    void asks('b');
    expect(await asks('c')).toEqual({ kind: 'busy', retryAfterS: 1 });
  });
});

describe('configured accounts', () => {
  test('have places of their own, and are never too many', async () => {
    const { ask, asked, answer } = world({ inFlightMax: 2, reservedMax: 1, waitingMax: 5 });
    for (let n = 0; n < 10; n++) void ask(`flood ${n}`, `10.0.0.${n}`);
    expect(asked).toEqual(['flood 0']);
    void ask('first', null);
    void ask('second', null);
    expect(asked).toEqual(['flood 0', 'first']);
    await answer('flood 0', WRONG);
    expect(asked).toEqual(['flood 0', 'first', 'second']);
  });

  test('what is answered here needs no turn', async () => {
    const { ask, asked } = world({ inFlightMax: 1, reservedMax: 0 });
    void ask('upstream', 'a');
    void ask('local', 'a', true);
    expect(asked).toEqual(['upstream', 'local']);
  });
});
