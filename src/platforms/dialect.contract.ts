// What the drop-in relies on of a platform whose own API it serves: a client's request is read to the call that the
// platform describes, everything there is to say has words, and no answer holds a secret.

import { expect, test } from 'vitest';
import { NO_FILES } from '../domain/body.ts';
import type { DescribedCall } from '../domain/call.ts';
import { problem } from '../domain/errors.ts';
import type { Open, PlatformFixture, Weather } from './contract.fixture.ts';
import type { Dialect, LocatedCall, ReadCall, ValueAnswer, Verb } from './dialect.ts';

const SEQ = 5;
const NOW = 1_900_000_000_000;
const WAIT_S = 7;
const DEADLINE_MS = 2_000;
const VERBS: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

interface Served extends PlatformFixture {
  readonly dialect: Dialect;
  readonly request: NonNullable<PlatformFixture['request']>;
  readonly call: DescribedCall;
}

// null: its own API is not served.
async function served(open: Open): Promise<Served | null> {
  const fixture = await open();
  const { platform, request, message } = fixture;
  const { dialect } = platform;
  if (dialect === undefined) return null;
  if (request === undefined) throw new Error('a fixture with a dialect has a request');
  const call = platform.calls.describe(message.method, message.params);
  if (call.kind !== 'call') throw new Error('the message of the fixture is a delivery');
  return { ...fixture, dialect, request, call };
}

export function dialectContract(open: Open): void {
  reading(open);
  words(open);
  ends(open);
  polls(open);
}

function reading(open: Open): void {
  test('a request is located by its head, and read to the call it means', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect, request, credential, platform, call } = fixture;
    expect(platform.passage).toBeDefined();
    expect(dialect.own.test(request.head.url)).toBe(true);
    expect(dialect.own.global || dialect.own.sticky).toBe(false);
    const located = dialect.locate(request.head) as LocatedCall;
    expect(located).toMatchObject({ kind: 'call', credential });
    const given = { query: {}, body: request.body, files: NO_FILES };
    expect(described(fixture, dialect.read(located, given))).toEqual(call);
  });

  test('a call from inside the process is the same call', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect, credential, message, call } = fixture;
    const located = dialect.located(credential, message.method)!;
    expect(located).toMatchObject({ kind: 'call', credential });
    const given = { query: {}, body: message.params, files: NO_FILES };
    expect(described(fixture, dialect.read(located, given))).toEqual(call);
    expect(dialect.heldMs({})).toBe(0);
  });

  test('whatever else comes is nothing, or refused without its secret', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect, request, credential } = fixture;
    const { head } = request;
    expect(dialect.locate({ verb: 'GET', url: '/', headers: {} })).toBeNull();
    const others = VERBS.map((verb) => dialect.locate({ ...head, verb }));
    const refused = others.flatMap((each) => (each?.kind === 'refused' ? [each.answer] : []));
    const located = dialect.locate(head) as LocatedCall;
    const bodies = [null, undefined, [], 'text', 5, {}];
    const read = bodies.map((body) => dialect.read(located, { query: {}, body, files: NO_FILES }));
    const unread = read.flatMap((each) => (each.kind === 'refused' ? [each.answer] : []));
    for (const answer of [...refused, ...unread]) expect(isNo(answer, fixture)).toBe(true);
    expect(dialect.secretOf(credential)).toContain(fixture.secret);
  });
}

function described({ platform }: Served, read: ReadCall) {
  if (read.kind !== 'call') throw new Error('it was refused');
  return platform.calls.describe(read.method, read.params);
}

function isNo(answer: ValueAnswer, fixture: PlatformFixture): boolean {
  const { status, body } = answer;
  const isShaped = body === null || (typeof body === 'string' && isObject(body));
  const isSaid = (status >= 400 && status < 600) || (status === 200 && !isYes(answer, fixture));
  return isSaid && isShaped && !String(body).includes(fixture.secret);
}

function isYes({ status, body }: ValueAnswer, { noes }: PlatformFixture): boolean {
  return status >= 200 && status < 300 && noes?.isNo(String(body)) !== true;
}

// As the platform says a no of that status.
function statusFor({ noes }: PlatformFixture, status: number): number {
  return noes?.statusOf(status) ?? status;
}

function isObject(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null;
}

function words(open: Open): void {
  test('a refusal keeps its status, and says what it is about', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect } = fixture;
    const said = [
      [dialect.refused(404, 'Not Found'), 404, 'Not Found'],
      [dialect.unreadable('no object'), 400, 'no object'],
      [dialect.conflict('it may be out'), 409, 'it may be out'],
      [dialect.problem(problem('forbidden_scope', 'not this chat'), WAIT_S), 403, 'not this chat'],
      [dialect.problem(problem('internal', 'our fault'), WAIT_S), 500, 'our fault'],
    ] as const;
    for (const [answer, status, detail] of said) {
      expect(isNo(answer, fixture)).toBe(true);
      expect(answer.status).toBe(statusFor(fixture, status));
      expect(answer.body).toContain(detail);
    }
    expect(dialect.tooLarge().status).toBe(statusFor(fixture, 413));
  });

  test('whoever comes too early is told when to come again', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect } = fixture;
    for (const answer of [
      dialect.later(WAIT_S),
      dialect.problem(problem('key_rate', ''), WAIT_S),
    ]) {
      expect(isNo(answer, fixture)).toBe(true);
      expect(answer.status).toBe(429);
      expect(Number(answer.headers?.['retry-after'])).toBe(WAIT_S);
    }
  });
}

// The platform's own answer to the message of the fixture.
async function resultOf(fixture: Served, weather: Weather): Promise<string | null> {
  const { platform, message, credential } = fixture;
  fixture.next(weather);
  const body = JSON.stringify(message.params);
  const made = { credential, method: message.method, body, deadlineMs: DEADLINE_MS };
  const outcome = platform.wire.classify(message.method, await platform.wire.send(made));
  return 'result' in outcome ? (outcome.result ?? null) : null;
}

function ends(open: Open): void {
  test.each([
    ['fine', 'sent'],
    ['refused', 'dead'],
  ] as const)(
    'when all is %s, the caller gets the platform’s own answer',
    async (weather, state) => {
      const fixture = await served(open);
      if (fixture === null) return;
      const { dialect, call, message } = fixture;
      const result = await resultOf(fixture, weather);
      expect(result).toMatch(/./);
      const ending = { state, reason: null, detail: null, result };
      const answer = dialect.ended(call, message.params, ending, NOW);
      expect(answer.body).toBe(result);
      expect(isYes(answer, fixture)).toBe(state === 'sent');
    },
  );

  test('what never came to an answer of the platform’s is told in its shape', async () => {
    const fixture = await served(open);
    if (fixture === null) return;
    const { dialect, call, message } = fixture;
    for (const state of ['dead', 'expired', 'cancelled', 'uncertain', 'superseded'] as const) {
      const ending = { state, reason: 'why', detail: null, result: null };
      const answer = dialect.ended(call, message.params, ending, NOW);
      expect(isNo(answer, fixture), state).toBe(true);
      // Clients repeat what has failed on the way; this one may be out.
      if (state === 'uncertain') expect(answer.status).toBeLessThan(500);
    }
  });

  test('who does not wait, or only types, has an answer too', async () => {
    const { dialect, call, message } = (await served(open)) ?? {};
    if (dialect === undefined) return;
    const early = dialect.provisional(call!, message!.params, SEQ, NOW);
    for (const { status, body } of [early, dialect.cosmetic(null)]) {
      expect(status >= 200 && status < 300).toBe(true);
      if (body !== null) expect(isObject(String(body))).toBe(true);
    }
  });
}

function polls(open: Open): void {
  test('updates that are kept here are told as the platform tells them', async () => {
    const { platform, update, message } = await open();
    const { polling } = platform;
    if (polling === undefined) return;
    const value = update?.value ?? {};
    const { status, body } = polling.polled([JSON.stringify(value)]);
    expect(status).toBe(200);
    expect(polling.updatesIn(String(body))).toEqual([value]);
    expect(polling.updatesIn('no JSON')).toEqual([]);
    expect(polling.asked(message.method, message.params)).toBeNull();
    expect(polling.conflict().status).toBe(409);
    expect(polling.webhookRemoved().status).toBe(200);
  });
}
