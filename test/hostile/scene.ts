// The scene of the attacks: a real gateway before a platform that knows one bot and notes all it is told; keys and
// tokens of every kind; and things of others that must be afterwards as they were before.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sluice } from '../process/sluice.ts';
import type { Arms, KeyName } from './attack.ts';

const SECRET = 'AAHgoodgoodgoodgoodgoodgoodgoodgood';
export const TOKEN = `4242:${SECRET}`;
export const ADMIN_KEY = 'the-admin-key-of-this-test';
const ACCOUNT = 'telegram:4242';
const OTHER_CHAT = 66_600_666;
const OWN_CHATS = Array.from({ length: 200 }, (_, i) => 7_000_001 + i);
const TOMORROW_MS = 86_400_000;

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export class Scene {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
  readonly data = join(this.#folder, 'data');
  // Paths and bodies of all that reached the platform.
  readonly received: string[] = [];
  readonly #platform: Server;
  #gateway!: Sluice;
  url!: URL;

  constructor() {
    this.#platform = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        this.received.push(`${request.url} ${body}`);
        const { status, answer } = answerOf(request.url!, body);
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#platform.listen(0, '127.0.0.1', resolve));
    await this.start();
  }

  async start(): Promise<void> {
    const api = `http://127.0.0.1:${(this.#platform.address() as AddressInfo).port}`;
    const flags = ['--port', '0', '--data', this.data, '--log', 'trace', '--telegram-api', api];
    this.#gateway = new Sluice(['serve', ...flags], { SLUICE_ADMIN_KEY: ADMIN_KEY });
    this.url = new URL(/http:[^\s;]+/.exec(await this.#gateway.said('listens on'))![0]);
  }

  // What it wrote to its log.
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<string> {
    this.#gateway.kill(signal);
    return (await this.#gateway.ended).err;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    this.#platform.closeAllConnections();
    this.#platform.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async ask(route: string, body?: object): Promise<Answered> {
    const [method, path] = route.split(' ') as [string, string];
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
    const content = body === undefined ? null : JSON.stringify(body);
    const { 'content-type': _type, ...bare } = headers;
    const answer = await fetch(new URL(path, this.url), {
      method,
      headers: content === null ? bare : headers,
      body: content,
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

  async arm(): Promise<Arms> {
    const known = await fetch(new URL(`/bot${TOKEN}/getMe`, this.url));
    if (!known.ok) throw new Error(`the bot is not known: ${await known.text()}`);
    const { keys, chatToken, methodToken } = await this.#makeKeys();
    const others = await this.#plant();
    this.received.length = 0;
    return {
      token: TOKEN,
      chatToken,
      methodToken,
      account: ACCOUNT,
      keys,
      ownChats: OWN_CHATS,
      otherChat: OTHER_CHAT,
      others,
    };
  }

  async #made(route: string, body: object): Promise<Record<string, unknown>> {
    const answer = await this.ask(route, body);
    if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #makeKeys() {
    const key = async (body: object) => (await this.#made('POST /v1/keys', body)).secret as string;
    const accounts = [ACCOUNT];
    const chats = OWN_CHATS.map(String);
    const methods = ['sendMessage'];
    const keys: Record<KeyName, string> = {
      admin: ADMIN_KEY,
      viewer: await key({ name: 'viewer', role: 'viewer' }),
      sender: await key({ name: 'sender', role: 'sender' }),
      operator: await key({ name: 'operator', role: 'operator' }),
      chatSender: await key({ name: 'cs', role: 'sender', accounts, chats }),
      chatOperator: await key({ name: 'co', role: 'operator', accounts, chats }),
      methodSender: await key({ name: 'ms', role: 'sender', accounts, methods: ['sendPhoto'] }),
      methodOperator: await key({ name: 'mo', role: 'operator', accounts, methods: ['sendPhoto'] }),
      accountOperator: await key({ name: 'ao', role: 'operator', accounts }),
      revoked: '',
    };
    const revoked = await this.#made('POST /v1/keys', { name: 'revoked', role: 'admin' });
    keys.revoked = revoked.secret as string;
    await this.ask(`DELETE /v1/keys/${revoked.id}`);
    const virtual = { virtual: true, account: ACCOUNT };
    const chatToken = await key({ ...virtual, name: 'vc', chats });
    const methodToken = await key({ ...virtual, name: 'vm', methods });
    return { keys, chatToken, methodToken };
  }

  // Of others: a message that waits, a dead letter, an open stream, a broadcast to come, an audience.
  async #plant(): Promise<Arms['others']> {
    const to = { platform: 'telegram', account: ACCOUNT, chat: OTHER_CHAT };
    const body = { text: 'of others' };
    const notBefore = Date.now() + TOMORROW_MS;
    const queued = await this.#made('POST /v1/messages', { to, body, notBefore });
    const dead = await this.#made('POST /v1/messages', { to, body, wait: 20 });
    if (dead.state !== 'dead') throw new Error(`planted as ${dead.state}`);
    const stream = await this.#made('POST /v1/streams', { to, text: '', idle: 3600 });
    const everyone = { to: { platform: 'telegram', account: ACCOUNT }, chats: [OTHER_CHAT] };
    const broadcast = await this.#made('POST /v1/broadcasts', { ...everyone, body, notBefore });
    const audience = 'people-of-others';
    const put = await fetch(new URL(`/v1/audiences/${audience}`, this.url), {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'text/csv' },
      body: `chat\n${OTHER_CHAT}\n`,
    });
    if (!put.ok) throw new Error(await put.text());
    return {
      queued: String(queued.id),
      dead: String(dead.id),
      stream: String(stream.id),
      broadcast: String(broadcast.id),
      audience,
    };
  }

  // How the things of others stand: to be compared before and after.
  async others({ others }: Arms): Promise<unknown> {
    const take = async (route: string, names: readonly string[]) => {
      const { body } = await this.ask(route);
      return names.map((name) => body[name]);
    };
    const state = ['state', 'body', 'history', 'attempts'];
    return [
      await take(`GET /v1/messages/${others.queued}`, state),
      await take(`GET /v1/messages/${others.dead}`, state),
      await take(`GET /v1/streams/${others.stream}`, ['state', 'units', 'messages', 'finals']),
      await take(`GET /v1/broadcasts/${others.broadcast}`, ['state', 'total', 'progress']),
      await take('GET /v1/audiences', ['audiences']),
      await take('GET /v1/accounts', ['accounts']).then(String),
      ((await this.ask('GET /v1/keys')).body.keys as { id: string; active: boolean }[]).map(
        ({ id, active }) => [id, active],
      ),
    ];
  }

  async memoryBytes(): Promise<number> {
    const answer = await fetch(new URL('/metrics', this.url));
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(await answer.text())![1]);
  }
}

function answerOf(url: string, body: string): { status: number; answer: object } {
  if (!url.startsWith(`/bot${TOKEN}/`)) {
    return {
      status: 401,
      answer: { ok: false, error_code: 401, description: 'Unauthorized' },
    };
  }
  if (body.includes(String(OTHER_CHAT))) {
    const description = 'Forbidden: bot was blocked by the user';
    return { status: 403, answer: { ok: false, error_code: 403, description } };
  }
  return { status: 200, answer: { ok: true, result: { id: 4242, message_id: 1 } } };
}
