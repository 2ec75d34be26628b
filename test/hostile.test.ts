// Ten thousand requests nobody should make, against a real gateway at its most talkative log level: each is refused
// as the platform would refuse it, nothing is queued, memory stays where it was, and no token is written anywhere.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../src/system/random.ts';
import { type Hostile, hostileRequest } from './hostile/requests.ts';
import { Sluice } from './process/sluice.ts';

const REQUESTS = 10_000;
const WARM_UP = 1_000;
const AT_ONCE = 40;
const COMPLAINTS_MAX = 20;
const SLOW = 100;
const SEED = 20_261_115;
const SECRET = 'AAHgoodgoodgoodgoodgoodgoodgoodgood';
const TOKEN = `4242:${SECRET}`;
const KEY = 'the-admin-key-of-this-test';
// What a healthy collector leaves lying about; a leak of ten thousand bodies is far beyond it.
const MEMORY_RATIO_MAX = 2;

const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
const data = join(folder, 'data');
let upstream: Server;
let gateway: Sluice;
let url: URL;
let log: string;

// Knows one bot.
beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    const isKnown = request.url!.startsWith(`/bot${TOKEN}/`);
    const result = { id: 4242, message_id: 1 };
    const body = isKnown
      ? { ok: true, result }
      : { ok: false, error_code: 401, description: 'Unauthorized' };
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const api = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const flags = ['--port', '0', '--data', data, '--log', 'trace', '--telegram-api', api];
  gateway = new Sluice(['serve', ...flags], { SLUICE_ADMIN_KEY: KEY });
  url = new URL(/http:[^\s;]+/.exec(await gateway.said('listens on'))![0]);
});

afterAll(async () => {
  gateway.kill('SIGKILL');
  await gateway.ended;
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(bytes: Buffer): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

// The whole answer; '' when the line was cut.
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
}

// null: as it should be.
function complaint(hostile: Hostile, answer: string): string | null {
  const { kind, bytes, statuses, isBare } = hostile;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  const where = `${kind}: ${bytes.subarray(0, 120).toString('latin1')} → ${answer.slice(0, 200)}`;
  if (!statuses.includes(status)) return where;
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  if (isBare) return null;
  const isOurs = body.startsWith(`{"ok":false,"error_code":${status},"description":"`);
  return isOurs ? null : where;
}

async function attack(count: number, seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const complaints: string[] = [];
  let made = 0;
  const attacker = async () => {
    while (made < count) {
      made += 1;
      const hostile = hostileRequest(random, TOKEN);
      const wrong = complaint(hostile, await answerOf(open(hostile.bytes)));
      if (wrong !== null) complaints.push(wrong);
      if (complaints.length > COMPLAINTS_MAX) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attacker));
  return complaints;
}

async function ask(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${KEY}` };
  return (await fetch(new URL(path, url), { headers })).text();
}

async function memoryBytes(): Promise<number> {
  const line = /^process_resident_memory_bytes (\S+)/m.exec(await ask('/metrics'));
  return Number(line![1]);
}

test(`${REQUESTS} hostile requests`, async () => {
  const slow = Array.from({ length: SLOW }, () => {
    const head = `POST /bot${TOKEN}/sendMessage HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n`;
    return open(
      Buffer.from(`${head}Content-Type: application/json\r\nContent-Length: 500000\r\n\r\n{"chat_`),
    );
  });
  expect(await attack(WARM_UP, SEED)).toEqual([]);
  const before = await memoryBytes();
  expect(await attack(REQUESTS - WARM_UP, SEED + 1)).toEqual([]);
  expect((await memoryBytes()) / before).toBeLessThan(MEMORY_RATIO_MAX);

  // Those who never came to their end are answered when they do, or are gone without a trace.
  const answers = slow.slice(SLOW / 2).map((socket) => {
    const answer = answerOf(socket);
    socket.write(Buffer.alloc(500_000, 'x'));
    return answer;
  });
  for (const socket of slow.slice(0, SLOW / 2)) socket.destroy();
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 400/);

  expect(JSON.parse(await ask('/v1/messages')).items).toEqual([]);
  expect(JSON.parse(await ask('/queue/stats'))).toMatchObject({ total_queued: 0 });
  expect(readdirSync(join(data, 'spool'))).toEqual([]);
  const good = await fetch(new URL(`/bot${TOKEN}/sendMessage?chat_id=5&text=hi`, url));
  expect(await good.json()).toMatchObject({ ok: true });

  gateway.kill('SIGTERM');
  log = (await gateway.ended).err;
  expect(log).toContain('"msg":"sent"');
  expect(log).not.toContain(SECRET);
  expect(log).not.toMatch(/\d+:[\w-]{30,}/);
}, 60_000);
