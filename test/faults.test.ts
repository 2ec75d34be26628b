// A whole gateway over a platform that throws, rejects or never answers in each of its methods, one at a time, each
// in a chat of its own: that delivery ends dead with its reason (or that request, call or stream ends), all other chats
// and accounts go on, and the next process on the same store sends nothing again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../src/app/gateway.ts';
import { configOf } from '../src/config/config.ts';
import type { RoadEvent } from '../src/domain/event.ts';
import {
  faultsOf,
  faulty,
  methodsOf,
  type PlatformFault,
} from '../src/platforms/faulty.fixture.ts';
import type { Platform } from '../src/platforms/platform.ts';
import { createTelegram } from '../src/platforms/telegram/telegram.ts';

const TOKEN = '41:sandbox';
const OTHER_TOKEN = '42:sandbox';
const folder = mkdtempSync(join(tmpdir(), 'sluice-faults-'));
const CONFIG = configOf({
  data: join(folder, 'data'),
  log: 'silent',
  port: 0,
  deadlineMs: 1000,
  adminKey: 'the-admin-key-of-this-test',
});
const WAIT_S = 30;

const telegram = createTelegram({ transport: null as never });

// What each method of the port is for, which decides how its fault ends.
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  attempt: [
    'wire.send',
    'wire.classify',
    'repairs.rest',
    'calls.spends',
    'repairs.cure',
    'repairs.split',
    'references.mentions',
    'references.named',
    'content.touch',
  ],
  // What is known by then stays true.
  sent: ['repairs.chatAfter', 'limits.planOf'],
  request: ['calls.describe', 'calls.address', 'calls.isAwaited', 'content.wording'],
  call: ['wire.identify', 'wire.hostOf', 'wire.isLocal', 'passage.pass', 'passage.download'],
  // Asked for keys with bounds only.
  permit: ['calls.plainParams', 'calls.targets'],
  stream: methodsOf(telegram).filter((method) => method.startsWith('live.')),
  // Asked after the origin's call was accepted.
  follow: ['changes.read', 'changes.about'],
  // Tried with the other promises, on a virtual clock: src/platforms/bounded.test.ts.
  end: ['wire.close', 'wire.timeAt'],
  // Not asked of Telegram in these scenes: told the settings or a template alone, of an observer, what came in, or how
  // its own API speaks; whom an answer names, when somebody asks (src/http/watch/names.test.ts); or whether a call
  // whose answer was lost may be repeated (src/dispatch/faults.test.ts).
  elsewhere: [
    ...['tuning.limits', 'tuning.strategy', 'broadcast.escape', 'calls.isIdempotent'],
    ...['calls.replyTarget', 'calls.personIn', 'calls.textParams', 'changes.make'],
    ...methodsOf(telegram).filter((method) => /^(?:updates|dialect|polling|names)\./.test(method)),
  ],
};
const groupOf = (method: string) =>
  Object.keys(GROUPS).find((group) => GROUPS[group]!.includes(method));

const FAULTS = faultsOf(telegram)
  // A minute of waiting; tried on a virtual clock there too.
  .filter(
    ({ method, mode }) =>
      !['end', 'elsewhere'].includes(groupOf(method)!) &&
      !(method === 'wire.identify' && mode === 'hangs'),
  )
  .map((fault, i) => ({ ...fault, chat: 9_000_001 + i, group: groupOf(fault.method)! }));
type Case = (typeof FAULTS)[number];

// A method's name is all that these are told.
const TOLD_BY_NAME: Readonly<Record<string, string>> = {
  'calls.spends': 'sendGame',
  'calls.isAwaited': 'sendContact',
};
const markOf = ({ method, chat }: Case) =>
  method in TOLD_BY_NAME ? `"${TOLD_BY_NAME[method]}"` : String(chat);

function broken(platform: Platform): Platform {
  if (platform.name !== 'telegram') return platform;
  return FAULTS.reduce(
    (made: Platform, fault) =>
      faulty(made, fault as PlatformFault, (args) => args.includes(markOf(fault))),
    platform,
  );
}

let gateway: Gateway;
let url: string;

beforeAll(async () => {
  gateway = await createGateway(CONFIG, { wrap: broken });
  url = await gateway.listen();
  await healthy();
});

afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

let quiet = 1000;

// Other chats, and another account, go on.
async function healthy(): Promise<void> {
  quiet += 1;
  const sent = await Promise.all(
    [TOKEN, OTHER_TOKEN].map((account) =>
      gateway.send({
        to: { platform: 'telegram', account, chat: quiet },
        body: { text: 'well' },
        wait: WAIT_S,
      }),
    ),
  );
  for (const each of sent) expect(each).toMatchObject({ state: 'sent' });
}

function send(chat: number, method: string, body: Record<string, unknown>) {
  const to = { platform: 'telegram', account: TOKEN, chat };
  return gateway.send({ to, method, body, wait: WAIT_S });
}

// The call that makes an attempt go through the method.
async function attempt({ method, chat }: Case) {
  switch (method) {
    case 'calls.spends':
      return send(chat, TOLD_BY_NAME[method]!, {});
    case 'repairs.cure':
      return send(chat, 'sendMessage', { text: 'x', reply_parameters: { message_id: 999_999 } });
    case 'content.touch':
      return send(chat, 'editMessageText', { message_id: 5, text: 'x' });
    case 'references.named': {
      const first = await send(chat, 'sendMessage', { text: 'first' });
      expect(first).toMatchObject({ state: 'sent' });
      const seq = Number.parseInt((first as { id: string }).id.split('-')[1]!, 36);
      return send(chat, 'sendMessage', { text: 'x', reply_parameters: { message_id: -seq } });
    }
    default:
      return send(chat, 'sendMessage', { text: 'x' });
  }
}

async function fetched(path: string): Promise<number> {
  return (await fetch(`${url}${path}`)).status;
}

function asked(key: string, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

const ENDS: Readonly<Record<string, (fault: Case) => Promise<void>>> = {
  async attempt(fault) {
    const end = await attempt(fault);
    expect(end).toMatchObject({ state: 'dead', reason: 'internal' });
    const { detail } = end as unknown as { detail: string };
    expect(detail).toMatch(fault.mode === 'hangs' ? /^NoAnswer at / : /^TypeError at .* is broken/);
  },
  async sent(fault) {
    expect(await attempt(fault)).toMatchObject({ state: 'sent' });
  },
  async request({ method, chat }) {
    const origin = { platform: 'telegram', account: TOKEN, chat };
    const observers = [{ platform: 'terminal', account: 'local', chat: 'main' }];
    const to = method === 'content.wording' ? { origin, observers } : origin;
    const named = method in TOLD_BY_NAME ? { method: TOLD_BY_NAME[method] } : {};
    const message = { to, ...named, body: { text: `to ${chat}` } };
    const asked = gateway.send(message as Parameters<Gateway['send']>[0]);
    await expect(asked).rejects.toThrow('is broken');
  },
  async call({ method, chat }) {
    const path = {
      'wire.identify': `/bot${chat}:sandbox/getMe`,
      'wire.hostOf': `/bot${chat}:sandbox/getMe`,
      'wire.isLocal': `/bot${chat}:sandbox/getMe`,
      'passage.pass': `/bot${TOKEN}/getChat?chat_id=${chat}`,
      'passage.download': `/file/bot${TOKEN}/${chat}`,
    }[method]!;
    expect(await fetched(path)).toBeGreaterThanOrEqual(500);
  },
  async permit({ chat }) {
    const made = await asked(CONFIG.adminKey!, '/v1/keys', {
      name: `bound to ${chat}`,
      role: 'sender',
      chats: [String(chat)],
    });
    const { secret } = (await made.json()) as { secret: string };
    const to = { platform: 'telegram', account: TOKEN, chat };
    const sent = await asked(secret, '/v1/messages', { to, body: { text: `to ${chat}` } });
    expect(sent.status).toBe(500);
  },
  async follow({ chat }) {
    const origin = { platform: 'telegram', account: TOKEN, chat };
    const to = { origin, observers: [{ ...origin, chat: chat + 1_000_000 }] };
    const first = await gateway.send({ to, body: { text: 'x' }, wait: WAIT_S });
    expect(first).toMatchObject({ state: 'sent' });
    const message_id = Number((first as { messageId: string }).messageId);
    const end = await send(chat, 'editMessageText', { message_id, text: 'y' });
    expect(end).toMatchObject({ state: 'sent' });
  },
  async stream({ chat }) {
    const to = { platform: 'telegram', account: TOKEN, chat };
    const handle = await gateway.stream({ to, format: 'markdown' }).catch((error: Error) => error);
    // Before anything was opened.
    if (handle instanceof Error || 'code' in handle) return;
    await handle.append('some *text*').catch(() => null);
    const end = await handle.final(' and its end', { wait: WAIT_S }).catch((error: Error) => error);
    const view = end instanceof Error || 'code' in end ? await handle.view() : end;
    expect(['done', 'failed']).toContain((view as { state: string }).state);
  },
};

test('every method of the port is tried', () => {
  expect(Object.values(GROUPS).flat().sort()).toEqual(methodsOf(telegram).sort());
});

test.each(FAULTS)('$method $mode', async (fault) => {
  const ends = ENDS[fault.group]!(fault);
  await healthy();
  await ends;
  await healthy();
});

test('and the next process starts on the same store, and sends none of it again', async () => {
  await gateway.close();
  const events: RoadEvent[] = [];
  gateway = await createGateway(CONFIG);
  gateway.events((event) => events.push(event));
  await healthy();
  const chats = events.flatMap((event) => ('about' in event ? [event.about.chat] : []));
  expect(chats.filter((chat) => Number(chat) > 9_000_000)).toEqual([]);
});

test('a host that cannot be told at the start sets that account apart, and the others go on', async () => {
  await gateway.close();
  gateway = await createGateway(CONFIG, {
    wrap: (platform) => ({
      ...platform,
      wire: {
        ...platform.wire,
        hostOf(credential) {
          if (credential === TOKEN) throw new Error('no host');
          return platform.wire.hostOf!(credential);
        },
      },
    }),
  });
  const waits = await gateway.send({
    to: { platform: 'telegram', account: 'telegram:sandbox-41', chat: 1 },
    body: { text: 'waits' },
  });
  const other = { platform: 'telegram', account: OTHER_TOKEN, chat: 1 };
  const sent = await gateway.send({ to: other, body: { text: 'goes' }, wait: WAIT_S });
  expect([waits, sent]).toMatchObject([{ state: 'queued' }, { state: 'sent' }]);
  url = await gateway.listen();
  const headers = { authorization: `Bearer ${CONFIG.adminKey}` };
  const answer = await fetch(`${url}/v1/messages/${(waits as { id: string }).id}/explain`, {
    headers,
  });
  expect(await answer.json()).toMatchObject({
    summary: expect.stringContaining('fault of Sluice'),
  });
  // The next process knows better.
  await gateway.close();
  gateway = await createGateway(CONFIG);
  await healthy();
});
