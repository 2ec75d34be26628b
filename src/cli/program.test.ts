import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from './program.ts';

interface Seen {
  method: string;
  url: string;
  key: string | undefined;
  body: unknown;
}

// What a platform may say, and a terminal would obey.
const HOSTILE = 'gone\u001b[2J\u009b5A\r\nand more\u202e';

// Stands in for a gateway: answers by route, remembers what it was asked.
const ANSWERS: Record<string, { status: number; value: unknown }> = {
  'POST /v1/messages': { status: 202, value: { id: 'abcde-1', state: 'queued', position: 1 } },
  'GET /v1/accounts': { status: 200, value: { accounts: [account('telegram:1')] } },
  'GET /health/details': {
    status: 200,
    value: { status: 'ok', parts: { journal: { status: 'ok' } } },
  },
  'GET /v1/overview': {
    status: 200,
    value: {
      incidents: [
        {
          ...{
            code: 'paused',
            severity: 'warning',
            account: 'telegram:1',
            waiting: 3,
            until: null,
          },
          ...{
            summary: 'telegram:1 is paused by an operator.',
            remedy: 'Resume it when it may go on.',
            command: 'resume telegram:1',
          },
        },
      ],
    },
  },
  'GET /v1/queue': {
    status: 200,
    value: {
      depths: { high: 1, normal: 2, retry: 0, inFlight: 1 },
      items: [
        {
          ...{ id: 'abcde-1', correlation: 'order-7', account: 'telegram:1', chat: '42' },
          ...{ priority: 'high', behind: 2 },
          ...{ since: '2030-01-01T00:00:00.000Z', eta: null, why: 'chat 42 is frozen' },
        },
      ],
    },
  },
  'GET /queue/stats': { status: 200, value: { stats: { high: 2 }, total_queued: 2 } },
  'POST /v1/dead/retry': {
    status: 200,
    value: { done: 2, failed: 0, failures: [], next: null },
  },
  'GET /v1/limits': {
    status: 200,
    value: {
      limits: [
        {
          account: 'telegram:1',
          chat: '-100',
          freezes: [
            { scope: 'chat', until: '2999-01-01T00:00:00.000Z', cause: 'retry after 9 s' },
            { scope: 'chat', until: '2001-01-01T00:00:00.000Z', cause: 'long over' },
          ],
        },
      ],
    },
  },
  'GET /v1/dead': {
    status: 200,
    value: { items: [letter('abcde-3')], next: 'abcde-3' },
  },
  'GET /v1/dead?group=cause': {
    status: 200,
    value: { groups: [cause('chat_not_found', 3), cause('new_code', 1)] },
  },
  'POST /v1/dead/discard': {
    status: 200,
    value: {
      done: 1,
      failed: 1,
      failures: [{ id: 'abcde-4', code: 'x', detail: HOSTILE }],
      next: null,
    },
  },
  'POST /v1/accounts/telegram%3A2/pause': {
    status: 404,
    value: { code: 'unknown_account', detail: 'No such account.' },
  },
  'POST /v1/accounts/telegram%3A1/pause': { status: 200, value: {} },
  'POST /v1/accounts/telegram%3A3/pause': {
    status: 422,
    value: {
      ...{ code: 'invalid_message', detail: 'no' },
      problems: [
        { path: '/why', expected: 'no such field', detail: 'unknown field' },
        { path: '/until', expected: 'a string' },
      ],
    },
  },
  'GET /v1/messages': {
    status: 200,
    value: {
      items: [
        {
          id: 'abcde-3',
          acceptedAt: '2030-01-01T00:00:00.000Z',
          account: 'telegram:1',
          chat: '42',
          method: 'sendMessage',
          state: 'sent',
          reason: null,
          messageId: '4711',
        },
        { ...letter('abcde-2'), correlation: 'abcde-2', messageId: null },
      ],
      next: 'abcde-3',
    },
  },
  'GET /v1/messages/abcde-2': {
    status: 200,
    value: { ...letter('abcde-2'), correlation: 'abcde-2', messageId: null },
  },
  'DELETE /v1/messages/abcde-3': { status: 200, value: { id: 'abcde-3', state: 'cancelled' } },
  'GET /v1/reasons': {
    status: 200,
    value: { reasons: { chat_not_found: 'There is no such chat.' }, unreachable: [] },
  },
  'GET /v1/messages/abcde-8/explain': {
    status: 200,
    value: {
      ...{ id: 'abcde-8', correlation: 'abcde-8', state: 'queued', position: 2 },
      summary: 'this group takes 20 messages a minute; 20 were sent',
      cause: 'group_minute',
      waitsFor: null,
      causes: [
        { kind: 'window', name: 'group_minute', until: null, detail: 'this group takes 20' },
      ],
    },
  },
  'GET /v1/messages/abcde-9/explain': {
    status: 404,
    value: { code: 'unknown_delivery', detail: 'There is no delivery abcde-9.' },
  },
};

let server: Server;
let url = '';
const seen: Seen[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '' } = request;
    const key = request.headers.authorization;
    seen.push({ method, url: path, key, body: text === '' ? null : JSON.parse(text) });
    const asked = `${method} ${path}`;
    const answer = ANSWERS[asked] ?? ANSWERS[asked.split('?')[0]!] ?? { status: 404, value: {} };
    response.statusCode = key === 'Bearer right' ? answer.status : 401;
    response.end(JSON.stringify(answer.value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

async function run(...args: string[]) {
  return runWith({ SLUICE_URL: url, SLUICE_KEY: 'right' }, ...args);
}

async function runWith(env: Record<string, string>, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  seen.length = 0;
  const io = { env, out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const code = await runCli(args, io);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('messages', () => {
  test('are listed with every filter there is', async () => {
    const { code, out } = await run('messages', '--message-id', '4711', '--chat', '42');
    expect(code).toBe(0);
    expect(seen[0]!.url).toBe('/v1/messages?limit=50&chat=42&messageId=4711');
    expect(out).toMatch(/abcde-3 .*telegram:1 +42 +sendMessage +sent +4711/);
    expect(out).toContain('there may be more');
  });

  test('what became of them is told in words, the code last', async () => {
    const { out } = await run('messages');
    expect(out).toMatch(/^ID .* WHY +CODE$/m);
    expect(out).toMatch(/^abcde-2 .* dead +There is no such chat\. +chat_not_found$/m);
    for (const command of ['messages', 'dead']) {
      const { out: one } = await run(command, 'show', 'abcde-2');
      expect(one).toMatch(/^reason +There is no such chat\.$/m);
      expect(one).toMatch(/^code +chat_not_found$/m);
    }
  });

  test('are cancelled by id', async () => {
    expect((await run('messages', 'cancel', 'abcde-3')).out).toBe('abcde-3 is cancelled');
  });

  test('a state that there is not is wrong usage', async () => {
    expect((await run('messages', '--state', 'gone')).code).toBe(2);
  });
});

describe('help and usage', () => {
  test.each([
    [['--help']],
    [['serve', '--help']],
    [['dead', 'retry', '--help']],
    [['sim', '--help']],
  ])('%j explains itself', async (args) => {
    const { code, out } = await run(...args);
    expect(code).toBe(0);
    expect(out).toContain('Usage: sluice');
  });

  test.each([
    [['nonsense']],
    [['send', 'text without a chat']],
    [['send', '--chat', '1', '--priority', 'urgent', 'x']],
    [['send', '--chat', '1', '--body', '{']],
    [['send', '--chat', '1', '--ttl', 'soon', 'x']],
    [['dead', 'retry']],
    [['dead', 'discard', 'abcde-1', '--all']],
    [['sim', '--port', 'eighty']],
    [['sim', '--group-mpm', '0']],
    [['sim', '--platform', 'nowhere']],
    [['sim', '--platform', 'discord', '--group-mpm', '5']],
    [['sim', '--limit', 'nope=1']],
    [['sim', '--limit', 'group_mpm=none']],
    [['sim', '--latency', 'long']],
    [['sim', '--fault', 'earthquake=0.5']],
    [['sim', '--fault', 'hang=2']],
    [['serve', '--port', 'eighty']],
    [['config', '--group-mpm', '0']],
  ])('%j is wrong usage', async (args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).not.toBe('');
    expect(seen).toEqual([]);
  });
});

// Before anything is asked of the gateway.
test.each([
  ['send', '--chat', '1', '--account', 'telegram:1'],
  ['broadcast', '--audience', 'all', '--account', 'telegram:1'],
  ['dead', 'edit', 'abcde-1'],
])('%s %s: JSON that nests without end is refused here, in words', async (...args) => {
  for (const levels of [65, 200_000]) {
    const body = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const { code, err } = await run(...args, '--body', body);
    expect(code).toBe(2);
    expect(err).toContain('--body: expected JSON');
    expect(err).toContain('it is JSON nested more than 64 levels deep');
    expect(err.length).toBeLessThan(500);
    expect(seen).toEqual([]);
  }
});

describe('commands', () => {
  test('send takes the only account and shows the receipt', async () => {
    const { code, out } = await run('send', '--chat', '-100', '--wait', '5', 'hello');
    expect(code).toBe(0);
    expect(out).toContain('abcde-1');
    expect(seen.at(-1)).toMatchObject({
      method: 'POST',
      url: '/v1/messages',
      key: 'Bearer right',
      body: {
        to: { platform: 'telegram', account: 'telegram:1', chat: '-100' },
        text: 'hello',
        wait: 5,
      },
    });
    // The platform knows its own.
    expect(seen.at(-1)!.body).not.toHaveProperty('method');
    await run('send', '--chat', '-100', '--method', 'sendPhoto', '--body', '{"photo":"a"}');
    expect(seen.at(-1)).toMatchObject({ body: { method: 'sendPhoto', body: { photo: 'a' } } });
    await run('send', '--chat', '-100', '--body', '{"parse_mode":"HTML"}', 'hello');
    const both = { text: 'hello', body: { parse_mode: 'HTML' } };
    expect(seen.at(-1)).toMatchObject({ body: both });
  });

  test('--json prints what programs need and nothing else', async () => {
    const { out } = await run('send', '--json', '--account', '1', '--chat', '2', 'hello');
    expect(JSON.parse(out)).toEqual({ id: 'abcde-1', state: 'queued', position: 1 });
  });

  test('status', async () => {
    const { code, out } = await run('status');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^WARNING {2}telegram:1 is paused by an operator. 3 waiting.\n +Resume it when/,
    );
    expect(out).toMatch(/^ +SLUICE_\S+ npx sluice resume telegram:1$/m);
    expect(out).toContain('works, with 1 warning (journal ok)');
    expect(out).toMatch(/telegram:1 +3 +1 +1 frozen/);
    expect(out).toMatch(
      /-100 +\d{4}-\d\d-\d\d \d\d:\d\d:00 \(\d+ days left\) +retry after 9 s +chat/,
    );
    expect(out).not.toContain('long over');
  });

  test('status names periodic work that is not well', async () => {
    const asked = 'GET /health/details';
    const before = ANSWERS[asked]!;
    const jobs = [
      { name: 'log_queue', state: 'ok', lastError: null },
      { name: 'sweep_spool', state: 'failing', lastError: 'Error at a.ts:1: disk full' },
      { name: 'renew_membership', state: 'overdue', lastError: null },
    ];
    const parts = { journal: { status: 'ok' }, periodic: { status: 'stale', jobs } };
    ANSWERS[asked] = { status: 200, value: { status: 'stale', parts } };
    const { code, out } = await run('status').finally(() => {
      ANSWERS[asked] = before;
    });
    expect(code).toBe(1);
    expect(out).toContain('journal ok, periodic stale');
    expect(out).toMatch(/^periodic work sweep_spool is failing: Error at a.ts:1: disk full$/m);
    expect(out).toMatch(/^periodic work renew_membership is overdue$/m);
    expect(out).not.toContain('log_queue');
  });

  test('queue tells who waits and why', async () => {
    const { code, out } = await run('queue', '--account', 'telegram:1');
    expect(code).toBe(0);
    expect(out).toContain('3 waiting (high 1, normal 2; 0 to be tried again), 1 in flight');
    expect(out).toMatch(/^ID +CORRELATION +ACCOUNT/m);
    expect(out).toMatch(/abcde-1 +order-7 +telegram:1 +42 +high .* +unknown +2 +chat 42 is frozen/);
  });

  test('the help of a command that is not there is wrong usage', async () => {
    expect(await run('nonsense', '--help')).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown command 'nonsense'"),
    });
    for (const command of ['messages', 'dead', 'limits', 'accounts', 'keys', 'sim', 'stream']) {
      const { code, out } = await run(command, 'nonsense', '--help');
      expect({ command, code, out }).toEqual({ command, code: 2, out: '' });
    }
  });

  test('what is wrong with a request is told by its place', async () => {
    const { code, err } = await run('pause', 'telegram:3');
    expect(code).toBe(1);
    expect(err).toContain('\n  /why: unknown field\n  /until: a string');
  });

  test('pause names the account', async () => {
    const { code, out } = await run('pause', 'telegram:1');
    expect({ code, out }).toEqual({ code: 0, out: 'telegram:1 is paused' });
    expect((await run('resume', 'telegram:2')).code).toBe(1);
  });

  test('dead retry by ids and by filter', async () => {
    await run('dead', 'retry', 'abcde-1', 'abcde-2');
    expect(seen.at(-1)!.body).toEqual({ ids: ['abcde-1', 'abcde-2'] });
    const { out } = await run('dead', 'retry', '--reason', 'chat_not_found');
    expect(seen.at(-1)!.body).toEqual({ filter: { reason: 'chat_not_found' } });
    expect(out).toBe('2 queued again');
  });

  test('dead list is one line each, and says when there are more', async () => {
    const { code, out } = await run('dead', 'list', '--limit', '1');
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(3);
    expect(out).toMatch(
      /abcde-3 +\d{4}-\d\d-\d\d \d\d:\d\d:00 .* gone␛\[2J�5A and more� +chat_not_found$/m,
    );
    expect(out).toMatch(/ 1 +There is no such chat\. +gone/);
    expect(out).toContain('there may be more');
    expect(out).toMatch(/^ID +SINCE/);
    const listed = ANSWERS['GET /v1/dead']!;
    const own = { ...letter('abcde-3'), correlation: 'order-7' };
    ANSWERS['GET /v1/dead'] = { status: 200, value: { items: [own, letter('abcde-4')] } };
    const told = (await run('dead', 'list')).out;
    ANSWERS['GET /v1/dead'] = listed;
    expect(told).toMatch(/^ID +CORRELATION +SINCE/);
    expect(told).toMatch(/^abcde-3 +order-7 +\d{4}-/m);
    expect(told).toMatch(/^abcde-4 +\d{4}-/m);
    const { items } = JSON.parse((await run('dead', 'list', '--json')).out);
    expect(items[0].detail).toBe(HOSTILE);
  });

  test('causes and limits are told in words, the code last', async () => {
    const { out } = await run('dead', 'list', '--group');
    expect(out).toMatch(/^COUNT +WHY +ACCOUNT +OLDEST +NEWEST +CODE$/m);
    expect(out).toMatch(/^3 +There is no such chat\. +telegram:1 .* chat_not_found$/m);
    expect(out).toMatch(/^1 +new_code +telegram:1 .* new_code$/m);
    const explained = (await run('explain', 'abcde-8')).out;
    expect(explained).toMatch(/^IT WAITS BECAUSE +UNTIL +CODE$/m);
    expect(explained).toMatch(/^this group takes 20 +window group_minute$/m);
    expect(explained).toMatch(/^this group takes 20 messages a minute; 20 were sent\n/);
    expect(explained).toMatch(/\ncode {2}group_minute$/);
  });

  test('nothing anyone says reaches the terminal as a command', async () => {
    for (const args of [['list'], ['list', '--json'], ['discard', 'abcde-4']]) {
      const { out, err } = await run('dead', ...args);
      expect(`${out}${err}`).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
    expect((await run('dead', 'discard', 'abcde-4')).code).toBe(1);
  });

  test('config never shows a secret', async () => {
    for (const flags of [[], ['--json']]) {
      const { code, out } = await runWith({ SLUICE_ADMIN_KEY: 'topsecret' }, 'config', ...flags);
      expect(code).toBe(0);
      expect(out).toContain('***');
      expect(out).not.toContain('topsecret');
    }
  });
});

describe('what went wrong', () => {
  test('the gateway says no', async () => {
    const { code, err } = await run('explain', 'abcde-9');
    expect(code).toBe(1);
    expect(err).toBe('sluice: There is no delivery abcde-9. (unknown_delivery)');
  });

  test('an account it does not know', async () => {
    const { code, err } = await run('pause', 'telegram:2');
    expect(code).toBe(1);
    expect(err).toMatch(/`SLUICE_URL=http:\S+ npx sluice accounts` lists the accounts/);
  });

  test('no key at all', async () => {
    const { err } = await runWith({ SLUICE_URL: url, SLUICE_DATA: 'no-such-folder' }, 'status');
    expect(err).toContain('wants a key, and none was found');
    expect(err).toContain('SLUICE_KEY');
  });

  test('a key it does not know', async () => {
    const { code, err } = await runWith({ SLUICE_URL: url, SLUICE_KEY: 'wrong' }, 'status');
    expect(code).toBe(1);
    expect(err).toContain('SLUICE_KEY');
    expect(err).not.toContain('wrong');
  });

  test('a store that is not there', async () => {
    const snapshot = await run('snapshot', 'new.db', '--data', 'no-such-folder');
    expect(snapshot.code).toBe(1);
    expect(snapshot.err).toContain('--data');
    const restore = await run('restore', 'no-such-file.db', '--data', 'no-such-folder');
    expect(restore.code).toBe(1);
    expect(restore.err).toContain('no-such-file.db');
  });

  test('no gateway', async () => {
    const { code, err } = await runWith({ SLUICE_URL: 'http://127.0.0.1:9' }, 'status');
    expect(code).toBe(1);
    expect(err).toContain('Start it with `npm start`');
  });
});

function account(id: string) {
  const breaker = { state: 'closed', cause: '' };
  return { id, paused: false, refused: null, breaker, waiting: 3, inFlight: 1 };
}

function letter(id: string) {
  const at = '2030-01-01T00:00:00.000Z';
  const what = { account: 'telegram:1', chat: '42', method: 'sendMessage', priority: 'normal' };
  const why = { state: 'dead', reason: 'chat_not_found', detail: HOSTILE };
  return {
    id,
    correlation: id,
    ...what,
    ...why,
    acceptedAt: at,
    settledAt: at,
    tries: 1,
    doubts: 0,
  };
}

function cause(reason: string, count: number) {
  const at = '2030-01-01T00:00:00.000Z';
  return { account: 'telegram:1', reason, count, oldestAt: at, newestAt: at };
}
