// With real processes: the admin key of a data folder reaches the gateway it belongs to and nobody else, and a start
// that does not write to a terminal prints no link that logs in.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSluice, Sluice } from './process/sluice.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-found-key-'));
const data = join(root, 'data');
const heard: IncomingHttpHeaders[] = [];
const stranger = createServer((request, response) => {
  heard.push(request.headers);
  // A redirect must not carry it on, either.
  const isRedirect = request.url?.startsWith('/away') ?? false;
  response.writeHead(isRedirect ? 307 : 401, isRedirect ? { location: '/' } : {}).end('{}');
});
let gateway: Sluice;
let url = '';
let strangerUrl = '';

beforeAll(async () => {
  gateway = new Sluice(['serve', '--port', '0', '--data', data, '--log', 'error']);
  url = /http:[^\s;]+/.exec(await gateway.said('listens on'))![0];
  await gateway.said('Ctrl-C');
  await new Promise<void>((listening) => void stranger.listen(0, '127.0.0.1', listening));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
});

afterAll(async () => {
  gateway.kill('SIGTERM');
  const { out } = await gateway.ended;
  stranger.close();
  rmSync(root, { recursive: true, force: true });
  expect(out).not.toContain('token=');
});

const cli = (...args: string[]) => runSluice(args, { SLUICE_DATA: data });

test('its own gateway gets the key, at whatever port it listens', async () => {
  const { code, err } = await cli('status', '--url', url);
  expect([code, err]).toEqual([0, '']);
});

test('another address does not, and the command says why', async () => {
  for (const path of ['', '/away']) {
    const { code, err } = await cli('status', '--url', `${strangerUrl}${path}`);
    expect(code).toBe(1);
    if (path === '') expect(err).toContain(`belongs to ${url} and was not sent; set SLUICE_KEY`);
  }
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

test('a key that was given goes where it is told', async () => {
  heard.length = 0;
  await runSluice(['status', '--url', strangerUrl], { SLUICE_DATA: data, SLUICE_KEY: 'given' });
  expect(heard[0]?.authorization).toBe('Bearer given');
});

test('what is no terminal is told how to get a link; the command prints one that logs in once', async () => {
  const hint = /(SLUICE_DATA=\S+) npx sluice (login-link .*)$/m.exec(
    await gateway.said('sluice login-link'),
  )!;
  const env = Object.fromEntries([hint[1]!.split('=') as [string, string]]);
  const { out } = await runSluice(hint[2]!.trim().split(' '), env);
  expect(out.trim()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\?token=[\w-]{43}$/);
  const follow = () => fetch(`${out.trim()}&confirmed=yes`, { redirect: 'manual' });
  expect([(await follow()).status, (await follow()).status]).toEqual([303, 401]);
});

test('when it ends, the folder names no address any more', async () => {
  const folder = join(root, 'short');
  const short = new Sluice(['serve', '--port', '0', '--data', folder, '--log', 'error']);
  await short.said('listens on');
  expect(existsSync(join(folder, 'address'))).toBe(true);
  short.kill('SIGTERM');
  await short.ended;
  expect(existsSync(join(folder, 'address'))).toBe(false);
});
