// Web pages of other origins, in a real Chromium, before a real gateway: what they make the browser ask is refused.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { openBrowser } from './page/browser.ts';
import { GatewayProcess } from './process/gateway.ts';

const MINUTES = 240_000;
const EVIL = '4242:sandboxEVIL';

let sim: ServedSim;
let gateway: GatewayProcess;
let browser: Browser;
let site: Server;
// Called with the address of the gateway, as the page of the other site.
let page: (gateway: string) => string;

beforeAll(async () => {
  sim = await serveSim({ host: '127.0.0.1', port: 0 });
  gateway = new GatewayProcess(sim.url);
  await gateway.start();
  browser = await openBrowser();
  site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(gateway.url));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
}, MINUTES);

afterAll(async () => {
  await browser?.close();
  site?.close();
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
}, MINUTES);

async function accounts(): Promise<string[]> {
  const { body } = await gateway.ask('GET', '/v1/accounts');
  return (body.accounts as { id: string }[]).map(({ id }) => id);
}

test('neither pictures, scripts, frames nor forms of another site reach it; a link to its page does', async () => {
  page = (url) => `<!doctype html>
    <img src="${url}/bot${EVIL}/getMe"><script src="${url}/bot${EVIL}/getMe?s"></script>
    <link rel="stylesheet" href="${url}/bot${EVIL}/getMe?c">
    <iframe src="${url}/bot${EVIL}/getMe?f"></iframe><iframe src="${url}/"></iframe>
    <iframe name="form"></iframe>
    <form target="form" method="post" action="${url}/bot${EVIL}/sendMessage">
    <input name="chat_id" value="1"><input name="text" value="x"></form>
    <script>fetch('${url}/bot${EVIL}/getMe?n', { mode: 'no-cors' }).finally(() => {
      document.forms[0].submit();
    });</script>
    <a href="${url}/">the page</a> <a href="${url}/bot${EVIL}/getMe?l">a call</a>`;
  // Another port of the same host, and another host: `same-site` and `cross-site`.
  const { port } = site.address() as AddressInfo;
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const answers: string[] = [];
    let asked = 0;
    tab.on('request', (request) => {
      if (request.url().startsWith(gateway.url)) asked += 1;
    });
    tab.on('response', (response) => {
      if (!response.url().startsWith(gateway.url)) return;
      answers.push(`${response.status()} ${response.request().method()}`);
    });
    const posted = tab.waitForResponse((response) => response.request().method() === 'POST');
    await tab.goto(origin);
    await posted;
    // Of some that were refused the browser tells nothing more.
    expect(asked).toBeGreaterThanOrEqual(7);
    expect(new Set(answers)).toEqual(new Set(['403 GET', '403 POST']));
    await tab.getByRole('link', { name: 'a call' }).click();
    await tab.getByText('error_code').waitFor();
    await tab.goBack();
    await tab.getByRole('link', { name: 'the page' }).click();
    await tab.getByLabel('Key').waitFor();
    await context.close();
  }
  expect(await accounts()).toEqual([]);
});

test('a file that a stranger sent cannot act in the origin of the page', async () => {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const download = tab.waitForEvent('download');
  await tab.goto(`${gateway.url}/file/bot1:sandbox/documents/a.html`).catch(() => {});
  expect((await download).url()).toContain('/file/bot1:sandbox/');
  await tab.goto(`${gateway.url}/bot1:sandbox/getMe`);
  // Whatever it is, it is not of the gateway's origin.
  expect(await tab.evaluate('window.origin')).toBe('null');
  await context.close();
});
