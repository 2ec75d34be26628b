import { afterEach, expect, test } from 'vitest';
import { ACCOUNT, AUTH, type Bench, bench, message, START } from '../context.fixture.ts';

let at: Bench;

afterEach(() => at.app.close());

const iso = (ms: number) => new Date(ms).toISOString();

async function get(url: string) {
  return (await at.app.inject({ method: 'GET', url, headers: AUTH })).json();
}

const pass = (ms: number) => at.clock.run(at.clock.now() + ms);

async function submit() {
  await at.app.inject({ method: 'POST', url: '/v1/messages', headers: AUTH, payload: message() });
}

const about = {
  seq: 1,
  id: 'x',
  correlation: 'x',
  account: ACCOUNT,
  chat: '-100',
  lane: '',
  method: 'sendMessage',
  priority: 'normal',
} as const;

test('who waits, with place, time and reason', async () => {
  at = await bench();
  expect((await get('/v1/queue')).items).toEqual([]);
  await submit();
  const { depths, items } = await get('/v1/queue?priority=normal&limit=5');
  expect(depths).toEqual({ critical: 1, high: 2, normal: 3, low: 4, retry: 2, inFlight: 1 });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    account: ACCOUNT,
    chat: '-100',
    preview: 'hello',
    since: iso(START),
    position: 1,
    eta: iso(START + 9000),
    why: 'the chat is frozen',
    kinds: ['freeze'],
    behind: 2,
  });
  expect((await get('/v1/queue?priority=urgent')).code).toBe('invalid_query');
});

test('the gateway at a glance', async () => {
  at = await bench();
  await submit();
  at.road.emit({ kind: 'accepted', at: START + 100, about });
  await pass(2000);
  const overview = await get('/v1/overview');
  expect(overview.startedAt).toBe(iso(START));
  expect(overview.series.accepted.slice(-2)).toEqual([1, 0]);
  expect(overview.series.waiting.slice(-1)).toEqual([10]);
  expect(overview.totals.accepted).toBe(1);
  expect(overview.oldest[0].why).toBe('the chat is frozen');
  expect(overview.accounts.trouble[0]).toMatchObject({ id: ACCOUNT, breaker: { state: 'open' } });
});

test('freezes are shown', async () => {
  at = await bench();
  expect((await get('/v1/overview')).freezes).toMatchObject({
    active: 1,
    shown: [{ scope: 'chat', name: '-100', until: iso(START + 7_200_000) }],
  });
});

test('watchers get the overview, then a tick a second, each put into words once', async () => {
  at = await bench();
  const url = await at.app.listen({ port: 0, host: '127.0.0.1' });
  const hangUp = new AbortController();
  const answer = await fetch(`${url}/v1/overview/events`, {
    headers: AUTH,
    signal: hangUp.signal,
  });
  const events = eventsOf(answer);
  expect(await events.next()).toMatchObject({ kind: 'overview', data: { totals: { sent: 0 } } });
  at.road.emit({ kind: 'accepted', at: START + 500, about });
  await pass(1000);
  expect(await events.next()).toMatchObject({
    kind: 'tick',
    data: { second: { accepted: 1, until: START / 1000 }, marks: { deliveries: 1 } },
  });
  hangUp.abort();
});

test('nobody without a key', async () => {
  at = await bench();
  for (const url of ['/v1/overview', '/v1/overview/events', '/v1/queue']) {
    expect((await at.app.inject({ method: 'GET', url })).statusCode).toBe(401);
  }
});

function eventsOf(answer: Response) {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  return {
    async next(): Promise<{ kind: string; data: object }> {
      for (;;) {
        const match = /event: (\w+)\ndata: (.*)\n\n/.exec(rest);
        if (match !== null) {
          rest = rest.slice(match.index + match[0].length);
          return { kind: match[1]!, data: JSON.parse(match[2]!) as object };
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        rest += value;
      }
    },
  };
}
