// What the road relies on, whatever the platform: run against each one's simulator or a fake wire.
// The suite drives the platform only through its port; the fixture decides what the wire does.

import { afterEach, describe, expect, test } from 'vitest';
import { FAMILIES } from '../domain/call.ts';
import { MESSAGE_ID_CHARS_MAX } from '../domain/ids.ts';
import { ACCOUNT_REFUSED, type Outcome } from '../domain/outcome.ts';
import { capabilities } from './capabilities.contract.ts';
import { type Open, type PlatformFixture, WEATHERS, type Weather } from './contract.fixture.ts';
import { dialectContract } from './dialect.contract.ts';

export type { PlatformFixture, Weather } from './contract.fixture.ts';

const DEADLINE_MS = 2_000;
// The scheduler asks for each of them at every decision.
const BUDGETS_MAX = 8;

// `weathers`: those its wire can have, when not all; a platform without a wire has little weather.
export function platformContract(
  name: string,
  open: Open,
  weathers: readonly Weather[] = WEATHERS,
): void {
  describe(`${name} keeps the platform contract`, () => {
    const opened: PlatformFixture[] = [];
    const fresh: Open = async () => {
      const fixture = ofDeclaredBudgets(await open());
      opened.push(fixture);
      return fixture;
    };
    afterEach(async () => {
      for (const { platform } of opened.splice(0)) await platform.wire.close?.();
    });
    describe('outcomes', () => outcomes(fresh, weathers));
    describe('descriptions', () => descriptions(fresh));
    describe('accounts', () => accounts(fresh, weathers));
    describe('capabilities', () => capabilities(fresh));
    describe('dialect', () => dialectContract(fresh));
  });
}

// Whatever is described in a test spends a budget that the platform has.
function ofDeclaredBudgets(fixture: PlatformFixture): PlatformFixture {
  const { platform } = fixture;
  const { budgets, calls } = platform;
  const described: typeof calls.describe = (method, params) => {
    const found = calls.describe(method, params);
    if (found.kind === 'call') expect(budgets.names, method).toContain(found.budget);
    return found;
  };
  return { ...fixture, platform: { ...platform, calls: { ...calls, describe: described } } };
}

async function attempt(fixture: PlatformFixture, weather: Weather): Promise<Outcome> {
  const { platform, credential, message, secret } = fixture;
  fixture.next(weather);
  const body = JSON.stringify(message.params);
  const call = { credential, method: message.method, body, deadlineMs: DEADLINE_MS };
  const outcome = platform.wire.classify(message.method, await platform.wire.send(call));
  expect(JSON.stringify(outcome)).not.toContain(secret);
  return outcome;
}

function outcomes(open: Open, weathers: readonly Weather[]): void {
  const when = (weather: Weather) => test.runIf(weathers.includes(weather));

  test('a message is sent and has an id', async () => {
    const outcome = await attempt(await open(), 'fine');
    expect(outcome).toMatchObject({ kind: 'sent', messageId: expect.stringMatching(/./) });
  });

  test('an id of any length is none: it was sent all the same', async () => {
    const fixture = await open();
    const { platform, credential, message } = fixture;
    fixture.next('fine');
    const { method, params } = message;
    const call = { credential, method, body: JSON.stringify(params), deadlineMs: DEADLINE_MS };
    const reply = await platform.wire.send(call);
    const outcome = platform.wire.classify(method, reply);
    if (reply.kind !== 'answered' || outcome.kind !== 'sent') throw new Error('not sent');
    const id = outcome.messageId!;
    const withId = (other: string): string =>
      JSON.stringify(
        JSON.parse(reply.body, (_name, value) =>
          typeof value !== 'object' && String(value) === id ? other : value,
        ),
      );
    const told = (other: string) =>
      platform.wire.classify(method, { ...reply, body: withId(other) });
    expect(told('7')).toMatchObject({ kind: 'sent', messageId: '7' });
    const long = '7'.repeat(MESSAGE_ID_CHARS_MAX + 1);
    expect(told(long)).toMatchObject({ kind: 'sent', messageId: null });
  });

  when('limited')('a wait is taken to the second', async () => {
    const fixture = await open();
    const { retryAfterMs } = fixture;
    expect(await attempt(fixture, 'limited')).toMatchObject({ kind: 'limited', retryAfterMs });
  });

  test('a no is a no, with a reason', async () => {
    const outcome = await attempt(await open(), 'refused');
    expect(outcome).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^[a-z_]+$/),
      detail: expect.stringMatching(/./),
    });
  });

  when('account_refused')('a refused account is told apart from a refused message', async () => {
    const account = { kind: 'refused', reason: ACCOUNT_REFUSED };
    expect(await attempt(await open(), 'account_refused')).toMatchObject(account);
    expect(await attempt(await open(), 'refused')).not.toMatchObject(account);
  });

  when('lost')('no answer after the write is uncertain', async () => {
    expect((await attempt(await open(), 'lost')).kind).toBe('uncertain');
  });

  when('unsent')('no answer before the write is safe to repeat', async () => {
    expect((await attempt(await open(), 'unsent')).kind).toBe('failed');
  });
}

function descriptions(open: Open): void {
  test('what is addressed is described alike', async () => {
    const { platform, message } = await open();
    const { method, params, chat, thread } = message;
    const described = platform.calls.describe(method, params);
    expect(described).toMatchObject({ kind: 'call', chat, thread });
    const addressed = platform.calls.address(params, { chat, thread });
    expect(platform.calls.describe(method, addressed)).toEqual(described);
  });

  test('edits of one message share a slot and may be repeated; messages neither', async () => {
    const { platform, message, edit } = await open();
    const slot = expect.any(String);
    expect(platform.calls.describe(edit.method, edit.params)).toMatchObject({ kind: 'call', slot });
    expect(platform.calls.describe(message.method, message.params)).toMatchObject({ slot: null });
    expect(platform.calls.isIdempotent(edit.method)).toBe(true);
    expect(platform.calls.isIdempotent(message.method)).toBe(false);
  });

  test('reads are no deliveries', async () => {
    const { platform, read } = await open();
    if (read !== null) expect(platform.calls.describe(read.method, read.params).kind).toBe('pass');
  });

  test('budgets are few, and each has a name of its own', async () => {
    const { names, unsolicited, reply } = (await open()).platform.budgets;
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(BUDGETS_MAX);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z_]{1,32}$/);
    expect(names).toContain(unsolicited);
    if (reply !== undefined) expect(names).toContain(reply);
  });

  test('a message, an edit of it and a reply each spend one of them', async () => {
    const { platform, message, edit, update } = await open();
    const { address, describe: read } = platform.calls;
    for (const each of [message, edit, ...(update === undefined ? [] : [update.reply])]) {
      const described = read(each.method, address(each.params, message));
      expect(described).toMatchObject({ budget: expect.stringMatching(/./) });
    }
  });

  test('what waits since a version with other words is planned as what nobody asked for', async () => {
    const { platform, message } = await open();
    const { budgets, limits } = platform;
    for (const family of FAMILIES) {
      const kind = { chat: message.chat, user: null, family, live: false, cost: 1 };
      const plan = limits.planOf({ ...kind, budget: budgets.unsolicited });
      expect(limits.planOf({ ...kind, budget: 'of_another_version' })).toBe(plan);
    }
  });

  test('plans are made once: equal charges have the same plan, and it is frozen', async () => {
    const { platform, message } = await open();
    const kinds = FAMILIES.flatMap((family) =>
      platform.budgets.names.map((budget) => ({ family, budget })),
    );
    for (const kind of kinds) {
      const charge = { chat: message.chat, user: null, ...kind, live: false, cost: 1 };
      const plan = platform.limits.planOf(charge);
      expect(platform.limits.planOf({ ...charge })).toBe(plan);
      expect([plan, plan.account, plan.chat].every(Object.isFrozen)).toBe(true);
      expect(plan.account.every(({ scope }) => scope === 'account')).toBe(true);
      expect(plan.chat.every(({ scope }) => scope !== 'account')).toBe(true);
    }
  });
}

function accounts(open: Open, weathers: readonly Weather[]): void {
  test('an account is known by its credential', async () => {
    const { platform, credential, accountId } = await open();
    expect(await platform.wire.identify(credential)).toEqual({ kind: 'known', id: accountId });
  });

  test('what is no credential is refused and not quoted', async () => {
    const { platform, secret } = await open();
    const identified = await platform.wire.identify(`no credential ${secret}`);
    expect(identified.kind).toBe('refused');
    expect(JSON.stringify(identified)).not.toContain(secret);
  });

  test.runIf(weathers.includes('unsent'))('an unreachable platform is not a refusal', async () => {
    const { platform, credential, next } = await open();
    next('unsent');
    expect((await platform.wire.identify(credential)).kind).toBe('unreachable');
  });
}
