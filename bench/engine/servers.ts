// The servers that are measured, one per process: `echo` (a bare fastify), `relay` (a bare fastify that passes the
// call on and waits, nothing kept), `durable-relay` (the same with the least that makes a call durable), `gateway`, and
// the simulated Telegram behind the last three.

import fastify from 'fastify';
import { Pool } from 'undici';
import { createGateway } from '../../src/app/gateway.ts';
import { defaultConfig } from '../../src/config/config.ts';
import { serveSim } from '../../src/sim/sim.ts';
import { tell } from './child.ts';
import { ForcedLog } from './forced-log.ts';

const [role, argument = ''] = process.argv.slice(2);
const UPSTREAM_CONNECTIONS = 256;

switch (role) {
  case 'echo':
    await echo();
    break;
  case 'relay':
    await relay(argument, null);
    break;
  case 'durable-relay':
    await relay(argument, new ForcedLog());
    break;
  case 'sim':
    await sim();
    break;
  case 'gateway':
    await gateway(JSON.parse(argument) as object);
    break;
  default:
    throw new Error(`no server is called ${role}`);
}
process.once('SIGTERM', () => process.exit(0));

async function echo(): Promise<void> {
  const app = fastify();
  app.post('/v1/messages', async (request, reply) => reply.code(202).send(request.body));
  tell({ port: portOf(await app.listen({ host: '127.0.0.1', port: 0 })) });
}

async function relay(upstream: string, log: ForcedLog | null): Promise<void> {
  const pool = new Pool(upstream, { connections: UPSTREAM_CONNECTIONS });
  const app = fastify();
  app.post('/:bot/:method', async (request, reply) => {
    const body = JSON.stringify(request.body);
    const kept = log?.append(body);
    const answer = await pool.request({
      path: request.url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await answer.body.text();
    log?.write(text);
    await kept;
    return reply.code(answer.statusCode).type('application/json').send(text);
  });
  tell({ port: portOf(await app.listen({ host: '127.0.0.1', port: 0 })) });
}

async function sim(): Promise<void> {
  const options = { truth: Number.POSITIVE_INFINITY };
  const { url } = await serveSim({ host: '127.0.0.1', port: 0, options });
  tell({ url });
}

async function gateway(changes: object): Promise<void> {
  const adminKey = 'bench';
  const config = defaultConfig({ port: 0, log: 'warn', adminKey, ...changes });
  const running = await createGateway(config);
  const url = await running.listen();
  process.once('SIGTERM', () => void running.close().then(() => process.exit(0)));
  tell({ port: portOf(url), adminKey });
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
