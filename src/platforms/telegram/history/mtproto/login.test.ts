import { afterEach, expect, test } from 'vitest';
import { CODE, PASSWORD, type Simulated, simulated } from '../simulated.fixture.ts';

let world: Simulated;
afterEach(() => world.close());

// The answers one after the other; more questions are a mistake.
function answers(...given: readonly string[]): () => Promise<string> {
  const left = [...given];
  return async () => {
    const next = left.shift();
    if (next === undefined) throw new Error('asked too often');
    return next;
  };
}

test('a code logs in, and the session is all that is needed from then on', async () => {
  world = await simulated();
  const outcome = await world.logIn({ password: answers() });
  if (outcome.kind !== 'logged_in') throw new Error(outcome.kind);
  expect(outcome).toMatchObject({ id: '1000', name: 'Simulated' });
  const before = world.sim.model.calls.length;
  world.sim.model.addChannel({ id: 5n, name: 'daily_news', title: 'Daily' });
  const reader = await world.kind.open({ id: 'one', session: outcome.session });
  expect(await reader.resolve('daily_news')).toMatchObject({ kind: 'read' });
  await reader.close();
  const calls = world.sim.model.calls.slice(before).map(({ method }) => method);
  expect(calls).toEqual(['contacts.resolveUsername']);
});

test('who mistypes a code or a password is asked again', async () => {
  world = await simulated({ password: PASSWORD });
  const outcome = await world.logIn({
    code: answers('11111', ` ${CODE} `),
    password: answers('wrong', PASSWORD),
  });
  expect(outcome).toMatchObject({ kind: 'logged_in' });
});

test('but not for ever', async () => {
  world = await simulated({ password: PASSWORD });
  const outcome = await world.logIn({ password: answers('a', 'b', 'c') });
  expect(outcome).toMatchObject({
    kind: 'refused',
    detail: 'the password was wrong too often (PASSWORD_HASH_INVALID)',
  });
});

test('an unknown phone is refused, and a wait is a wait', async () => {
  world = await simulated();
  const unknown = await world.logIn({ phone: answers('+1 999') });
  const detail = 'the platform knows no such phone number (PHONE_NUMBER_INVALID)';
  expect(unknown).toMatchObject({ kind: 'refused', detail });
  const fault = { kind: 'error', code: 420, text: 'FLOOD_WAIT_86400' } as const;
  world.sim.model.addFault({ fault, method: 'auth.sendCode' });
  expect(await world.logIn()).toEqual({ kind: 'wait', waitMs: 86_400_000 });
});

test('without a session, or with one that is none, there is nothing to read with', async () => {
  world = await simulated();
  for (const account of [null, { id: 'one', session: 'no session at all' }]) {
    const reader = await world.kind.open(account);
    const out = await reader.resolve('daily_news');
    expect(out).toMatchObject({ kind: 'logged_out' });
    expect(JSON.stringify(out)).not.toContain('no session at all');
    await reader.close();
  }
  expect(world.sim.model.calls).toEqual([]);
});
