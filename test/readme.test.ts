// The first minute of a newcomer: what the README says is typed, and what it says is seen.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSluice, Sluice } from './process/sluice.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const ADDRESS = 'http://127.0.0.1:8080';

const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
const data = join(folder, 'data');
let gateway: Sluice;
let url = '';

beforeAll(async () => {
  gateway = new Sluice(['serve', '--port', '0', '--data', data, '--log', 'error']);
  url = /http:[^\s;]+/.exec(await gateway.said('listens on'))![0];
});

afterAll(async () => {
  gateway.kill('SIGTERM');
  const { code } = await gateway.ended;
  rmSync(folder, { recursive: true, force: true });
  expect(code).toBe(0);
});

function clientEnv(): Record<string, string> {
  return { SLUICE_URL: url, SLUICE_DATA: data };
}

test('the first message', async () => {
  const path = /curl -i http:\/\/127\.0\.0\.1:8080(\/bot\S+) (.*)$/m.exec(README)!;
  const form = [...path[2]!.matchAll(/-d (\w+)=(\w+)/g)].map(
    ([, name, value]): [string, string] => [name!, value!],
  );
  const answer = await fetch(`${url}${path[1]}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  expect(await answer.json()).toMatchObject({ ok: true, result: { text: 'hello' } });
  const id = answer.headers.get('x-sluice-delivery')!;

  const status = await runSluice(['status'], clientEnv());
  expect(status).toMatchObject({ code: 0, err: '' });
  expect(status.out).toContain('telegram:sandbox-1');
  const explained = await runSluice(['explain', id], clientEnv());
  expect(explained).toMatchObject({ code: 0, err: '' });
  expect(explained.out).toContain('sent');
});

test('the library’s snippet is the beginning of the example', () => {
  const snippet = /```ts\n([\s\S]*?)```/.exec(README)![1]!;
  const example = readFileSync(new URL('../examples/first-message.ts', import.meta.url), 'utf8');
  expect(example).toContain(snippet);
});

test('the first message over REST', async () => {
  const line = README.slice(README.indexOf(`curl ${ADDRESS}/v1/messages`));
  const body = /-d '([^']+)'/.exec(line)![1]!;
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  // Whether it still waits is a matter of microseconds; that it has an id is not.
  expect(await answer.json()).toMatchObject({ id: expect.stringMatching(/^\w+-\w+$/) });
});
