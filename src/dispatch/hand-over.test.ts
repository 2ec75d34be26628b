// Two nodes on one store and one clock: an account is taken, handed over and taken over.

import { expect, test } from 'vitest';
import type { Outcome } from '../domain/outcome.ts';
import type { Priors } from '../limits/limits.ts';
import type { Identified } from '../platforms/platform.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { NO_EPOCH } from '../store/ports/ownership.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { aRoad, CERTAIN_MS, message, SENT, START, submit } from './dispatch.fixture.ts';
import { writingAs } from './hand-over.ts';

const ACCOUNT = 'fake:1';
const UNAUTHORIZED: Outcome = {
  kind: 'refused',
  reason: 'unauthorized',
  detail: 'Unauthorized',
  result: '',
  cure: null,
};
const REFUSED: Identified = { kind: 'refused', status: 401, detail: 'Unauthorized' };
const HOUR_MS = 3_600_000;

async function twoNodes(say: () => Outcome = () => SENT) {
  const shared = { made: createMemoryStore(), virtual: virtualClock(START) };
  const first = aRoad(say, { ...shared, node: 'first' });
  const second = aRoad(say, { ...shared, node: 'second' });
  await first.dispatch.start();
  await second.dispatch.start();
  return { first, second, run: first.run };
}

const bodies = (calls: readonly { body: string }[]) => calls.map(({ body }) => body);

test('a node has no account that it has not taken: nothing is accepted or sent for it', async () => {
  const { first, run } = await twoNodes();
  expect(await first.road.submit(message())).toEqual({ kind: 'not_owner' });
  await run(5_000);
  expect(first.calls).toHaveLength(0);
  expect(await first.dispatch.take(ACCOUNT)).toBe(true);
  await submit(first.road);
  await run(500);
  expect(first.calls).toHaveLength(1);
});

test('handed over under load: nothing is lost or doubled, and the order and the windows stay', async () => {
  const { first, second, run } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  for (let n = 0; n < 4; n++) await submit(first.road, { body: `"${n}"` });
  await run(1_150);
  // The second left at 1.1 s: a window lasts from the answer of its call.
  expect(first.calls).toHaveLength(2);
  const handed = first.dispatch.handOver(ACCOUNT, 5_000);
  // For the next owner to find.
  await submit(first.road, { body: '"4"' });
  await run(200);
  await handed;
  expect(first.dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  expect(await first.road.submit(message())).toEqual({ kind: 'not_owner' });
  const at = first.clock.now();
  expect(await second.dispatch.take(ACCOUNT)).toBe(true);
  await run(700);
  // A call a second in this chat, whoever makes it.
  expect(second.calls).toHaveLength(0);
  await run(START + 10_000 - at);
  expect(bodies(first.calls)).toEqual(['"0"', '"1"']);
  expect(bodies(second.calls)).toEqual(['"2"', '"3"', '"4"']);
});

test('what hangs at the deadline is in doubt for the next owner, and its late end is refused', async () => {
  const shared = { made: createMemoryStore(), virtual: virtualClock(START) };
  const { promise: hanging, resolve: answer } = Promise.withResolvers<void>();
  const first = aRoad(() => SENT, {
    ...shared,
    node: 'first',
    wrap: (platform) => ({
      ...platform,
      wire: {
        ...platform.wire,
        send: async (call) => {
          const reply = platform.wire.send(call);
          await hanging;
          return reply;
        },
      },
    }),
  });
  const second = aRoad(() => SENT, { ...shared, node: 'second' });
  await Promise.all([first.dispatch.start(), second.dispatch.start()]);
  await first.dispatch.take(ACCOUNT);
  const seq = await submit(first.road);
  const handed = first.dispatch.handOver(ACCOUNT, 1_000);
  await first.run(1_100);
  await handed;
  await second.dispatch.take(ACCOUNT);
  await first.run(5_000);
  answer();
  await first.run(5_000);
  expect(second.calls).toHaveLength(1);
  expect(await first.store.ledger.get(seq)).toMatchObject({ state: 'sent', doubts: 1 });
  expect(first.dispatch.state.accounts.has(ACCOUNT)).toBe(false);
});

test('taken over from a node that does not know it: the other settles what was in flight before the rest', async () => {
  const { first, second, run } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  for (let n = 0; n < 3; n++) await submit(first.road, { body: `"${n}"` });
  expect(bodies(first.calls)).toEqual(['"0"']);
  expect(await second.dispatch.take(ACCOUNT)).toBe(true);
  await run(10_000);
  expect(bodies(first.calls)).toEqual(['"0"']);
  expect(first.lost).toContain(ACCOUNT);
  expect(bodies(second.calls)).toEqual(['"0"', '"1"', '"2"']);
  // And back again.
  expect(await first.dispatch.take(ACCOUNT)).toBe(true);
  await submit(first.road, { body: '"3"' });
  await run(2_000);
  expect(bodies(first.calls)).toEqual(['"0"', '"3"']);
});

test('an account that was removed and is closed for good is this node’s no longer', async () => {
  const { first, run } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  await submit(first.road);
  await run(500);
  first.dispatch.leave(ACCOUNT, 'evicted');
  expect(first.lost).toEqual([]);
  await run(60_000);
  expect(first.lost).toEqual([ACCOUNT]);
});

test('one that was removed and is taken again does not wait for the end of what froze it', async () => {
  const limited: Outcome = { kind: 'limited', retryAfterMs: HOUR_MS, scope: 'chat', result: '' };
  const { first, run } = await twoNodes(() => limited);
  await first.dispatch.take(ACCOUNT);
  await submit(first.road);
  await run(500);
  first.dispatch.leave(ACCOUNT, 'evicted');
  const taken = first.dispatch.take(ACCOUNT);
  let isTaken = false;
  void taken.then(() => {
    isTaken = true;
  });
  await run(5_000);
  expect(isTaken).toBe(true);
  expect(first.dispatch.state.leaving.size).toBe(0);
  expect(first.calls).toHaveLength(1);
});

test('what else is written under its epoch: one refusal loses the account, an older one does not', async () => {
  const { first, second } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  const writing = writingAs(first.dispatch.state, first.clock);
  const older = await writing.of(ACCOUNT);
  expect(await writing.of('fake:2')).toEqual({ account: 'fake:2', epoch: NO_EPOCH });
  await second.dispatch.take(ACCOUNT);
  await first.dispatch.take(ACCOUNT);
  writing.lost(older);
  expect(first.lost).toEqual([]);
  writing.lost(await writing.of(ACCOUNT));
  expect(first.lost).toEqual([ACCOUNT]);
});

test('frozen for longer than it can be certain: what was begun is not sent', async () => {
  const { first, second, run } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  await second.dispatch.take('fake:2');
  for (const { road, dispatch } of [first, second]) {
    const account = dispatch === first.dispatch ? ACCOUNT : 'fake:2';
    // Accepted and begun in one commit; its answer is read only now.
    const acceptedAt = START - (dispatch === first.dispatch ? CERTAIN_MS + 1 : CERTAIN_MS - 1);
    expect(await road.submit(message({ account, acceptedAt }))).toMatchObject({ begun: true });
  }
  expect(first.calls).toHaveLength(0);
  expect(second.calls).toHaveLength(1);
  // Nobody took it over: it goes with a new beginning.
  await run(2_000);
  expect(first.calls).toHaveLength(1);
});

test('what a node wrote down counts as a little later: its clock may have been behind', async () => {
  const made = createMemoryStore();
  const first = aRoad(() => SENT, { made, virtual: virtualClock(START - 80), node: 'first' });
  const second = aRoad(() => SENT, { made, virtual: virtualClock(START), node: 'second' });
  await Promise.all([first.dispatch.start(), second.dispatch.start()]);
  await first.dispatch.take(ACCOUNT);
  await submit(first.road);
  await first.run(200);
  await second.run(200);
  const endedAt = second.clock.now() - 100;
  await first.dispatch.handOver(ACCOUNT, 1_000);
  await second.dispatch.take(ACCOUNT);
  await submit(second.road);
  // A call a second in this chat, by the clock of neither.
  await second.run(endedAt + 1_000 - second.clock.now());
  expect(second.calls).toHaveLength(0);
  await second.run(200);
  expect(second.calls).toHaveLength(1);
});

test('a refused token is asked about by whoever has the account, and by nobody who handed it over', async () => {
  let answer: Identified = REFUSED;
  let asked = 0;
  const identify = () => {
    asked += 1;
    return answer;
  };
  const say = () => (answer === REFUSED ? UNAUTHORIZED : SENT);
  const node = aRoad(say, { node: 'first', identify });
  await node.dispatch.start();
  await node.dispatch.take(ACCOUNT);
  await submit(node.road);
  await node.run(5_000);
  expect(node.refused).toEqual([ACCOUNT]);
  const before = asked;
  await node.dispatch.handOver(ACCOUNT, 1_000);
  await node.run(4 * HOUR_MS);
  expect(asked).toBe(before);
  await node.dispatch.take(ACCOUNT);
  answer = { kind: 'known', id: '1' };
  await node.run(5 * 60_000);
  expect(asked).toBe(before + 1);
  expect(node.dispatch.state.availability.isBlocked(ACCOUNT)).toBe(false);
});

test('handed over while the platform is asked for its token: the answer changes nothing here', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<Identified>();
  const node = aRoad(() => SENT, {
    node: 'first',
    refusedOf: () => 'unauthorized',
    wrap: (platform) => ({ ...platform, wire: { ...platform.wire, identify: () => promise } }),
  });
  await node.dispatch.start();
  await node.dispatch.take(ACCOUNT);
  const probing = node.dispatch.state.tokens.probe(ACCOUNT);
  // The pause after which it is asked about by itself is over, too.
  await node.run(61_000);
  await node.dispatch.handOver(ACCOUNT, 1_000);
  expect(node.dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  const events = node.events.length;
  answer({ kind: 'known', id: '1' });
  expect(await probing).toMatchObject({ found: 'taken' });
  await node.run(HOUR_MS);
  expect(node.dispatch.state.accounts.has(ACCOUNT)).toBe(false);
  expect(node.events.slice(events)).toEqual([]);
});

test('an account is not closed before what a typing sign has met is learned', async () => {
  const node = aRoad(() => UNAUTHORIZED, {
    node: 'first',
    identify: () => ({ kind: 'unreachable', detail: 'timeout' }),
  });
  await node.dispatch.start();
  await node.dispatch.take(ACCOUNT);
  const made = node.road.cosmetic({
    ...{ account: ACCOUNT, chat: 'c', method: 'typing', family: 'typing' },
    ...{ budget: 'open', user: null, body: '{}' },
  });
  await node.run(500);
  const handed = node.dispatch.handOver(ACCOUNT, 1_000);
  await node.run(2_000);
  await handed;
  expect(node.dispatch.state.accounts.has(ACCOUNT)).toBe(true);
  await node.run(60_000);
  expect(await made).toMatchObject({ end: 'refused' });
  expect(node.dispatch.state.accounts.has(ACCOUNT)).toBe(false);
});

test('what a message shows is not known any more when its account comes back: others may have changed it', async () => {
  const { first, second, run } = await twoNodes();
  const edit = (text: string) => {
    const body = JSON.stringify({ message: '7', text });
    return message({ method: 'edit', family: 'edit', body, acceptedAt: first.clock.now() });
  };
  const make = async (node: typeof first, text: string) => {
    await node.road.submit(edit(text));
    await run(3_000);
  };
  await first.dispatch.take(ACCOUNT);
  await make(first, 'x');
  expect(first.road.unchanged(edit('x'))).not.toBeNull();
  await first.dispatch.handOver(ACCOUNT, 1_000);
  expect(first.road.unchanged(edit('x'))).toBeNull();
  await second.dispatch.take(ACCOUNT);
  await make(second, 'y');
  await second.dispatch.handOver(ACCOUNT, 1_000);
  await first.dispatch.take(ACCOUNT);
  expect(first.road.unchanged(edit('x'))).toBeNull();
  expect(first.road.changedAt(edit('x'))).toBeNull();
  await make(first, 'x');
  expect(bodies(first.calls)).toEqual([edit('x').body, edit('x').body]);
  // And now it is known again.
  await make(first, 'x');
  expect(first.calls).toHaveLength(2);
});

test('taken while it is open still: what another may have changed is read anew', async () => {
  let refused: string | null = null;
  let priors: Priors = { planOf: () => ({ account: [], chat: [] }) };
  const node = aRoad(() => SENT, {
    node: 'first',
    refusedOf: () => refused,
    priors: () => priors,
  });
  const { state } = node.dispatch;
  const edit = message({ method: 'edit', family: 'edit', body: '{"text":"x"}' });
  await node.dispatch.start();
  await node.dispatch.take(ACCOUNT);
  await node.road.submit(edit);
  await node.run(500);
  expect(node.road.unchanged(edit)).not.toBeNull();
  refused = 'unauthorized';
  priors = { ...priors, pacesUsers: true };
  await node.dispatch.take(ACCOUNT);
  expect(node.road.unchanged(edit)).toBeNull();
  expect(state.availability.view(ACCOUNT)).toMatchObject({ state: 'open', cause: 'unauthorized' });
  expect(node.road.pacesUsers(ACCOUNT)).toBe(true);
  refused = null;
  await node.dispatch.take(ACCOUNT);
  expect(state.availability.isBlocked(ACCOUNT)).toBe(false);
});

test('a new token stops no hand-over: nothing more of the account is begun here', async () => {
  const { first, run } = await twoNodes();
  await first.dispatch.take(ACCOUNT);
  await submit(first.road);
  const handed = first.dispatch.handOver(ACCOUNT, 5_000);
  first.dispatch.state.stay(ACCOUNT);
  await submit(first.road, { chat: 'd' });
  await run(1_000);
  await handed;
  expect(first.calls).toHaveLength(1);
});
