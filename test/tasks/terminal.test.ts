// What a newcomer wants at the terminal, each in three commands at most: only what was printed before is typed.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { serveSim } from '../../src/sim/sim.ts';
import { openBrowser, Visitor } from '../page/browser.ts';
import { until } from '../process/look.ts';
import { Sluice } from '../process/sluice.ts';
import { AtTheTerminal } from './steps.ts';

const LAST_LINE = 'Then:';
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

// A gateway as it is started first, in a folder of its own; answers what it printed.
async function start(...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-task-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'my data');
  const gateway = new Sluice(['serve', '--port', '0', '--data', data, ...more]);
  undo.push(async () => {
    gateway.kill('SIGKILL');
    await gateway.ended;
  });
  await gateway.said(LAST_LINE);
  const lines = ['listens on', 'login-link', 'curl', LAST_LINE].map((text) => gateway.said(text));
  const shown = (await Promise.all(lines)).join('\n');
  return { shown, data, url: /http:[^\s;]+/.exec(shown)![0] };
}

// Until something is wrong.
async function critical(url: string, data: string): Promise<void> {
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}` };
  await until(
    async () => {
      const answer = await fetch(`${url}/v1/overview`, { headers });
      return ((await answer.json()) as { incidents: unknown[] }).incidents;
    },
    ({ length }) => length > 0,
  );
}

test('a first message: it goes out, and is seen in the browser', async () => {
  const { shown } = await start();
  const terminal = new AtTheTerminal(shown);
  expect(await terminal.run(/curl .*/)).toContain('"ok":true');
  const link = await terminal.run(/SLUICE_DATA=.* login-link.*/);
  const browser = await openBrowser();
  undo.push(() => browser.close());
  const visitor = await Visitor.come(browser, link.trim());
  await visitor.page.goto(link.trim());
  await visitor.page.getByText('hello').first().waitFor();
  terminal.done();
});

test('the platform is down: the command that is printed asks it again', async () => {
  const sim = await serveSim({ host: '127.0.0.1', port: 0 });
  const { shown, url, data } = await start('--telegram-api', sim.url);
  const send = (chat: string) =>
    fetch(`${url}/bot77:AAAtoken-of-a-bot/sendMessage?chat_id=${chat}&text=hello`, {
      method: 'POST',
      headers: { prefer: 'respond-async' },
    });
  expect((await send('5')).status).toBe(202);
  await sim.close();
  // Several at once: the breaker opens at the fifth failure.
  await Promise.all(['5', '6', '7', '8', '9'].map(send));
  await critical(url, data);
  // As `top`, which the start names: only the word is another.
  const status = /SLUICE_DATA=.*npx sluice top \S+ \S+/
    .exec(shown)![0]
    .replace(' top ', ' status ');
  const terminal = new AtTheTerminal(status);
  expect(await terminal.run(/.+/)).toMatch(
    /^CRITICAL {2}The platform does not answer telegram:77: .*ECONNREFUSED/,
  );
  const again = await serveSim({ host: '127.0.0.1', port: Number(new URL(sim.url).port) });
  undo.push(() => again.close());
  expect(await terminal.run(/SLUICE_DATA.* npx sluice accounts probe .*/)).toContain(
    'the platform answers and takes the token of telegram:77',
  );
  terminal.done();
});
