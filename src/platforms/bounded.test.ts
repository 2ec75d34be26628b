import { expect, test } from 'vitest';
import type { FaultStage } from '../domain/fault.ts';
import type { VirtualClock } from '../system/virtual-clock.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { bounded, GRACE_MS, IDENTIFY_MS_MAX, NoAnswer } from './bounded.ts';
import { faultsOf, faulty } from './faulty.fixture.ts';
import type { Platform } from './platform.ts';
import { createTelegram } from './telegram/telegram.ts';

const START = 1_700_000_000_000;
const CALL = { credential: '1:x', method: 'getMe', body: '{}', deadlineMs: 1000 };

function aPlatform(clock: VirtualClock): Platform {
  const answered = { kind: 'answered', status: 200, headers: {}, body: '{"ok":true,"result":1}' };
  const transport = {
    send: async () => answered,
    stream: async () => answered,
    close: async () => {},
  };
  void clock;
  return createTelegram({ transport: transport as never });
}

function made(method: string, mode: 'throws' | 'rejects' | 'hangs') {
  const clock = virtualClock(START);
  const faults: FaultStage[] = [];
  const platform = bounded(
    faulty(aPlatform(clock), { method, mode }, () => true),
    {
      clock,
      report: (stage) => faults.push(stage),
    },
  );
  return { clock, platform, faults };
}

// How a promise ended, once the clock has run.
async function endOf(clock: VirtualClock, promise: Promise<unknown>, ms: number) {
  let end: unknown = 'open';
  promise.then(
    (value) => {
      end = value;
    },
    (error) => {
      end = error;
    },
  );
  await clock.run(clock.now() + ms);
  return end;
}

test('every promise of a platform settles, whichever of its methods fails and how', async () => {
  const promises = faultsOf(aPlatform(virtualClock(START))).filter(
    ({ method, mode }) => mode === 'hangs' || faultsOfAsync(method),
  );
  expect(promises.length).toBeGreaterThanOrEqual(15);
  for (const { method, mode } of promises) {
    const { clock, platform } = made(method, mode);
    const { signal } = new AbortController();
    const file = { credential: '1:x', path: 'a', headers: {}, deadlineMs: 1000 };
    const calls: Record<string, () => Promise<unknown>> = {
      'wire.send': () => platform.wire.send(CALL),
      'wire.identify': () => platform.wire.identify('1:x'),
      'wire.timeAt': () => platform.wire.timeAt!('1:x'),
      'wire.close': () => platform.wire.close!(),
      'passage.pass': () => platform.passage!.pass(CALL, signal),
      'passage.download': () => platform.passage!.download(file, signal),
    };
    const end = await endOf(clock, calls[method]!(), IDENTIFY_MS_MAX + GRACE_MS + 2000);
    expect(end, `${method} ${mode}`).not.toBe('open');
    if (method === 'wire.identify') expect(end).toMatchObject({ kind: 'unreachable' });
    else if (method === 'wire.timeAt') expect(end).toBeNull();
    else if (method === 'wire.close') expect(end).toBeUndefined();
    else if (mode === 'hangs') expect(end).toBeInstanceOf(NoAnswer);
    else expect(end).toBeInstanceOf(TypeError);
  }
});

function faultsOfAsync(method: string): boolean {
  return [
    'wire.send',
    'wire.identify',
    'wire.timeAt',
    'wire.close',
    'passage.pass',
    'passage.download',
  ].includes(method);
}

test('a caller who hangs up is not kept by a platform that does not hear it', async () => {
  const { clock, platform } = made('passage.pass', 'hangs');
  const caller = new AbortController();
  const long = { ...CALL, deadlineMs: 600_000 };
  const passed = platform.passage!.pass(long, caller.signal);
  caller.abort();
  expect(await endOf(clock, passed, 2000)).toBeInstanceOf(NoAnswer);
});

test('closing ends what is still out, and leaves no timer', async () => {
  const { clock, platform } = made('wire.send', 'hangs');
  const sent = platform.wire.send(CALL);
  await platform.wire.close!();
  expect(await endOf(clock, sent, 0)).toBeInstanceOf(NoAnswer);
});

test('what has nothing to close ends what is still out all the same', async () => {
  const clock = virtualClock(START);
  const { close: _close, ...wire } = aPlatform(clock).wire;
  const faults: unknown[] = [];
  const bare = { ...aPlatform(clock), wire: { ...wire, send: () => new Promise<never>(() => {}) } };
  const platform = bounded(bare, { clock, report: (...fault) => faults.push(fault) });
  const sent = platform.wire.send(CALL);
  await platform.wire.close!();
  expect(await endOf(clock, sent, 0)).toBeInstanceOf(NoAnswer);
  expect(faults).toEqual([]);
});
