import { expect, test } from 'vitest';
import type { FaultStage } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Outcome } from '../domain/outcome.ts';
import { bounded } from '../platforms/bounded.ts';
import { type FaultMode, faulty, type PlatformFault } from '../platforms/faulty.fixture.ts';
import type { OutgoingCall, Platform } from '../platforms/platform.ts';
import { soleOwner } from '../store/contract/sole-owner.fixture.ts';
import { createMemoryDisk } from '../store/memory/memory.ts';
import { aRoad, GONE_ACCOUNT, message, SENT, START, submit } from './dispatch.fixture.ts';

const BAD = 'poisoned';
const SOON_MS = 20_000;
const CURABLE: Outcome = {
  kind: 'refused',
  reason: 'reply_gone',
  detail: '',
  result: '{"ok":false}',
  cure: { kind: 'drop_reply' },
};

// A road whose platform fails for the poisoned chat, and only there.
function aFaultyRoad(fault: PlatformFault, options: { say?: typeof sayUsual; wrap?: Wrap } = {}) {
  const { say = sayUsual, wrap = (platform) => platform } = options;
  const faults: { stage: FaultStage; error: unknown }[] = [];
  const disk = createMemoryDisk();
  const at = aRoad(say, {
    disk,
    report: (stage, error) => faults.push({ stage, error }),
    wrap: (platform, clock) =>
      bounded(
        faulty(wrap(platform), fault, (args) => args.includes(BAD)),
        { clock, report: (stage, error) => faults.push({ stage, error }) },
      ),
  });
  return { ...at, faults };
}

type Wrap = (platform: Platform) => Platform;

const sayUsual = ({ body }: OutgoingCall, _nth: number): Outcome =>
  body.includes('curable') ? CURABLE : SENT;

interface Case {
  readonly method: string;
  readonly modes?: readonly FaultMode[];
  readonly hasLeft: boolean;
  readonly message?: Parameters<typeof submit>[1];
  readonly wrap?: Wrap;
}

// Every method that an attempt calls, with a message that makes it call it.
const CASES: readonly Case[] = [
  { method: 'wire.send', modes: ['throws', 'rejects', 'hangs'], hasLeft: true },
  { method: 'wire.classify', hasLeft: true },
  { method: 'repairs.rest', hasLeft: true },
  {
    method: 'calls.isIdempotent',
    hasLeft: true,
    message: { method: BAD },
    wrap: (platform) => ({
      ...platform,
      wire: {
        ...platform.wire,
        classify: (method, reply) =>
          method === BAD
            ? { kind: 'uncertain', reason: 'answer_lost', detail: '' }
            : platform.wire.classify(method, reply),
      },
    }),
  },
  { method: 'repairs.cure', hasLeft: true, message: { body: `{"text":"${BAD} curable"}` } },
  { method: 'repairs.split', hasLeft: false },
  { method: 'references.mentions', hasLeft: false },
  { method: 'content.touch', hasLeft: false, message: { method: 'edit', family: 'edit' } },
  {
    method: 'references.named',
    hasLeft: false,
    wrap: (platform) => ({
      ...platform,
      references: {
        ...platform.references!,
        mentions: (body) => (body.includes(BAD) ? [1] : []),
      },
    }),
  },
];

const ONCE: readonly FaultMode[] = ['throws'];

for (const { method, modes = ONCE, hasLeft, message = {}, wrap } of CASES) {
  for (const mode of modes) {
    test(`${method} ${mode}: that delivery is dead, the others go on`, async () => {
      const at = aFaultyRoad({ method, mode }, wrap === undefined ? {} : { wrap });
      const { ledger } = at.store;
      await at.dispatch.start();
      const first = await submit(at.road, { chat: 'a', body: '{"text":"first"}' });
      await at.run(2000);
      const bad = await submit(at.road, { chat: 'c', body: `{"text":"${BAD}"}`, ...message });
      const sameChat = await submit(at.road, { chat: 'c', body: '{"text":"after"}' });
      const other = await submit(at.road, { chat: 'd', body: '{"text":"other"}' });
      await at.run(SOON_MS);
      const dead = await ledger.get(bad);
      expect(dead).toMatchObject({ state: 'dead', reason: 'internal', doubts: hasLeft ? 1 : 0 });
      if (mode !== 'hangs') expect(dead?.detail).toContain(`${method} is broken`);
      expect(dead?.detail).toContain(mode === 'hangs' ? 'NoAnswer' : 'TypeError at ');
      expect(dead?.detail?.includes('may have been delivered')).toBe(hasLeft);
      for (const seq of [first, sameChat, other]) {
        expect(await ledger.get(seq)).toMatchObject({ state: 'sent' });
      }
      expect(at.faults.map(({ stage }) => stage)).toEqual(['attempt']);
      expect(JSON.stringify(at.dispatch.state.scheduler.depths())).not.toMatch(/[1-9]/);
    });
  }
}

test('a retry by hand makes one more attempt, and no loop', async () => {
  const at = aFaultyRoad({ method: 'wire.classify', mode: 'throws' });
  await at.dispatch.start();
  const bad = await submit(at.road, { body: `{"text":"${BAD}"}` });
  await at.run(SOON_MS);
  const before = at.calls.length;
  const rest = { reason: 'retried', by: 'test', body: null, queueMax: 100 };
  await at.road.move({ account: 'fake:1', seq: bad, to: 'queued', at: at.clock.now(), ...rest });
  await at.run(SOON_MS);
  expect(at.calls.length).toBe(before + 1);
  expect(await at.store.ledger.get(bad)).toMatchObject({ state: 'dead', attempts: 2, doubts: 2 });
});

test('and is sent when the fault is gone', async () => {
  let isBroken = true;
  const at = aRoad(() => SENT, {
    report: () => {},
    wrap: (platform) =>
      faulty(platform, { method: 'repairs.split', mode: 'throws' }, () => isBroken),
  });
  await at.dispatch.start();
  const bad = await submit(at.road);
  await at.run(SOON_MS);
  isBroken = false;
  const rest = { reason: 'retried', by: 'test', body: null, queueMax: 100 };
  await at.road.move({ account: 'fake:1', seq: bad, to: 'queued', at: at.clock.now(), ...rest });
  await at.run(SOON_MS);
  expect(await at.store.ledger.get(bad)).toMatchObject({ state: 'sent' });
});

test('what was sent stays sent when the answer tells the chat no more', async () => {
  const at = aFaultyRoad({ method: 'repairs.chatAfter', mode: 'throws' });
  await at.dispatch.start();
  const bad = await submit(at.road, { chat: BAD });
  await at.run(SOON_MS);
  expect(await at.store.ledger.get(bad)).toMatchObject({ state: 'sent' });
  expect(at.faults).toHaveLength(1);
});

test('limits that throw are replaced by a careful pace', async () => {
  const at = aFaultyRoad({ method: 'limits.planOf', mode: 'throws' });
  await at.dispatch.start();
  const seqs = [];
  for (let i = 0; i < 4; i++) seqs.push(await submit(at.road, { chat: BAD }));
  await at.run(SOON_MS);
  for (const seq of seqs) expect(await at.store.ledger.get(seq)).toMatchObject({ state: 'sent' });
  expect(at.clock.now()).toBeGreaterThanOrEqual(START + 3000);
  expect(at.faults.every(({ stage }) => stage === 'limits')).toBe(true);
});

test.each(['repairs.split', 'wire.classify'])(
  'a probe that ends in a fault of %s frees its place',
  async (method) => {
    const say = (_call: OutgoingCall, nth: number): Outcome =>
      nth <= 3 ? { kind: 'failed', reason: 'down', detail: '', hostDown: true } : SENT;
    const at = aFaultyRoad({ method, mode: 'throws' }, { say });
    await at.dispatch.start();
    const seqs = [await submit(at.road, { chat: 'a' })];
    // Until the breaker opens; what goes first then is the probe.
    await at.run(5000);
    const probe = { priority: 'critical', body: `{"text":"${BAD}"}` } as const;
    const bad = await submit(at.road, { chat: 'b', ...probe });
    seqs.push(await submit(at.road, { chat: 'e' }));
    await at.run(200_000);
    for (const seq of seqs) expect(await at.store.ledger.get(seq)).toMatchObject({ state: 'sent' });
    expect(await at.store.ledger.get(bad)).toMatchObject({ state: 'dead', reason: 'internal' });
  },
);

test('a typing sign that fails is left out, and its place is free again', async () => {
  for (const mode of ['throws', 'rejects', 'hangs'] as const) {
    const at = aFaultyRoad({ method: 'wire.send', mode });
    await at.dispatch.start();
    const call = { account: 'fake:1', family: 'typing', budget: 'open', user: null } as const;
    const bad = at.road.cosmetic({ ...call, chat: 'c', method: 'typing', body: `"${BAD}"` });
    await at.run(SOON_MS);
    expect(await bad).toEqual({ end: 'failed', result: null });
    const good = at.road.cosmetic({ ...call, chat: 'c', method: 'typing', body: '{}' });
    await at.run(SOON_MS);
    expect((await good).end).toBe('sent');
  }
});

test('a listener that throws does not stop the road, nor the other listeners', async () => {
  const faults: FaultStage[] = [];
  const at = aRoad(() => SENT, { report: (stage) => faults.push(stage) });
  at.road.listen(() => {
    throw new Error('no ears');
  });
  const heard: string[] = [];
  at.road.listen(({ kind }) => heard.push(kind));
  await at.dispatch.start();
  const seq = await submit(at.road);
  await at.run(SOON_MS);
  expect(await at.store.ledger.get(seq)).toMatchObject({ state: 'sent' });
  expect(heard).toEqual(['accepted', 'attempted', 'moved']);
  expect(faults).toEqual(['listener', 'listener', 'listener']);
});

test('what cannot be taken up at the start is dead, and the start goes on', async () => {
  const disk = createMemoryDisk();
  const before = aRoad(() => SENT, { disk });
  const journal = soleOwner(before.store.journal);
  const append = async (account: AccountId) => {
    const appended = await journal.append(message({ account }), { queueMax: 100 });
    if (appended.kind !== 'accepted') throw new Error('not accepted');
    return appended.queued.seq;
  };
  const queued = await append(GONE_ACCOUNT);
  const sending = await append(GONE_ACCOUNT);
  await journal.begin(sending, START);
  const good = await append('fake:1');
  const updatedAt = START;
  await journal.saveLimits([
    { account: GONE_ACCOUNT, key: 'freeze|account||', value: '[[[', updatedAt },
    { account: 'fake:1', key: 'alias|@a', value: `${'['.repeat(5000)}`, updatedAt },
    { account: 'fake:1', key: 'alias|@b', value: 'null', updatedAt },
  ]);
  const faults: FaultStage[] = [];
  const at = aRoad(() => SENT, { disk, report: (stage) => faults.push(stage) });
  await at.dispatch.start();
  await at.run(SOON_MS);
  const { ledger } = at.store;
  const internal = { state: 'dead', reason: 'internal' };
  expect(await ledger.get(queued)).toMatchObject({ ...internal, doubts: 0 });
  expect(await ledger.get(sending)).toMatchObject({ ...internal, doubts: 1 });
  expect(await ledger.get(good)).toMatchObject({ state: 'sent' });
  expect(at.calls).toHaveLength(1);
  expect(new Set(faults)).toEqual(new Set(['recovery']));
  // Nothing of it comes up again.
  const again = aRoad(() => SENT, { disk, report: (stage) => faults.push(stage) });
  await again.dispatch.start();
  await again.run(SOON_MS);
  expect(again.calls).toEqual([]);
});

test('a doubt that its platform cannot judge is dead, not sent again at every start', async () => {
  const disk = createMemoryDisk();
  const journal = soleOwner(aRoad(() => SENT, { disk }).store.journal);
  const appended = await journal.append(message({ method: BAD }), { queueMax: 100 });
  if (appended.kind !== 'accepted') throw new Error('not accepted');
  await journal.begin(appended.queued.seq, START);
  const fault = { method: 'calls.isIdempotent', mode: 'throws' } as const;
  const at = aRoad(() => SENT, {
    disk,
    report: () => {},
    wrap: (platform) => faulty(platform, fault, (args) => args.includes(BAD)),
  });
  await at.dispatch.start();
  await at.run(SOON_MS);
  expect(at.calls).toEqual([]);
  expect(await at.store.ledger.get(appended.queued.seq)).toMatchObject({
    state: 'dead',
    reason: 'internal',
  });
});

test('what the disk has changed is dead and never sent, whether it waited or was in flight', async () => {
  const disk = createMemoryDisk();
  const journal = soleOwner(aRoad(() => SENT, { disk }).store.journal);
  const append = async (account: AccountId) => {
    const appended = await journal.append(message({ account }), { queueMax: 100 });
    if (appended.kind !== 'accepted') throw new Error('not accepted');
    return appended.queued.seq;
  };
  const queued = await append('fake:1');
  const inFlight = await append('fake:1');
  const broken = await append(GONE_ACCOUNT);
  const good = await append('fake:1');
  await journal.begin(inFlight, START);
  for (const seq of [queued, inFlight, broken]) disk.deliveries.get(seq)!.body = '{"text":"bent"}';
  const faults: FaultStage[] = [];
  const at = aRoad(() => SENT, { disk, report: (stage) => faults.push(stage) });
  await at.dispatch.start();
  await at.run(SOON_MS);
  const { ledger } = at.store;
  const ended = { state: 'dead', reason: 'damaged', damaged: true };
  expect(await ledger.get(queued)).toMatchObject({ ...ended, doubts: 0 });
  expect(await ledger.get(inFlight)).toMatchObject({ ...ended, doubts: 1 });
  expect(await ledger.get(broken)).toMatchObject({ ...ended, doubts: 0 });
  expect(await ledger.get(good)).toMatchObject({ state: 'sent' });
  expect(at.calls).toHaveLength(1);
  expect(faults.filter((stage) => stage === 'store')).toHaveLength(3);
  expect(JSON.stringify(at.dispatch.state.scheduler.depths())).not.toMatch(/[1-9]/);
});
