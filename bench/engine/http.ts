// Durable accepts over HTTP, against a bare fastify that echoes the same bodies: what the way in costs beside
// the wire. The account is paused, so that only accepting is measured.

import { best, perSecond, type Row, ratioRow } from '../row.ts';
import { startChild } from './child.ts';
import type { Pace } from './closed-loop.ts';
import { inFolder } from './folder.ts';
import { httpRequest, load } from './load.ts';
import { TEXT } from './sample.ts';

const RUNS = 3;
const CONNECTIONS = 100;
const REQUESTS = 60_000;
// A server that runs for months is measured warm.
const WARM_UP_REQUESTS = 20_000;
const CHATS = 500;
const JSON_TYPE = 'content-type: application/json';

export async function httpAccepts(): Promise<Row[]> {
  const faster = (a: Pace, b: Pace) => a.count / a.ms > b.count / b.ms;
  const ours = await best(RUNS, gatewayAccepts, faster);
  const echo = await best(RUNS, echoes, faster);
  return [
    ratioRow(
      'durable accepts, HTTP',
      perSecond(ours.count, ours.ms, 'accepts'),
      perSecond(echo.count, echo.ms, 'fastify echoes'),
      { atLeast: 0.5 },
    ),
  ];
}

function gatewayAccepts(): Promise<Pace> {
  return inFolder(async (folder) => {
    const settings = JSON.stringify({ data: folder, queueMax: 10_000_000 });
    const child = await startChild<{ port: number; adminKey: string }>('servers.ts', [
      'gateway',
      settings,
    ]);
    const { port, adminKey } = child.ready;
    const headers = [JSON_TYPE, `authorization: Bearer ${adminKey}`];
    const post = (path: string, body: string, total: number, expect: string) =>
      load({
        port,
        connections: 1,
        total,
        request: () => httpRequest(path, headers, body),
        expect,
      });
    await post('/v1/messages', message('1:sandbox', 1), 1, 'HTTP/1.1 202');
    await post('/v1/accounts/telegram:sandbox-1/pause', '{}', 1, 'HTTP/1.1 200');
    const pace = await measure(port, headers);
    await child.stop();
    return pace;
  });
}

async function echoes(): Promise<Pace> {
  const child = await startChild<{ port: number }>('servers.ts', ['echo']);
  const pace = await measure(child.ready.port, [JSON_TYPE]);
  await child.stop();
  return pace;
}

async function measure(port: number, headers: readonly string[]): Promise<Pace> {
  const requests = Array.from({ length: CHATS }, (_, chat) =>
    httpRequest('/v1/messages', headers, message('telegram:sandbox-1', chat + 1)),
  );
  const request = (i: number) => requests[i % CHATS]!;
  const expect = 'HTTP/1.1 202';
  const common = { port, connections: CONNECTIONS, request, expect };
  await load({ ...common, total: WARM_UP_REQUESTS });
  return load({ ...common, total: REQUESTS });
}

function message(account: string, chat: number): string {
  return JSON.stringify({ to: { platform: 'telegram', account, chat }, body: { text: TEXT } });
}
