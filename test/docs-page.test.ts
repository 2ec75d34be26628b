// /docs in a real browser, before a real gateway: searched, copied, read without scripts, in the dark and on a phone.
// One of its lines is pasted into a shell.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApi } from '../src/http/openapi/openapi.ts';
import { ROUTES } from '../src/http/route-list.ts';
import { openBrowser } from './page/browser.ts';
import { GatewayProcess } from './process/gateway.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
const gateway = new GatewayProcess('http://127.0.0.1:9');
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
  await gateway.start();
});
afterAll(async () => {
  await browser.close();
  await gateway.end('SIGKILL');
  gateway.remove();
});

// The page is read, and left without an error of its console or a request elsewhere.
async function read(options: BrowserContextOptions, look: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('console', (message) => void troubles.push(message.text()));
  page.on('pageerror', (error) => void troubles.push(error.message));
  page.on('request', (request) => {
    if (request.url().startsWith('http') && request.url() !== `${gateway.url}/docs`) {
      troubles.push(request.url());
    }
  });
  await page.goto(`${gateway.url}/docs`);
  await look(page);
  expect(troubles).toEqual([]);
  await context.close();
}

const articles = (page: Page) => page.locator('main article').filter({ visible: true }).count();

async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}

test.each(['light', 'dark'] as const)('in the %s everyone can read it', async (colorScheme) => {
  await read({ colorScheme }, async (page) => {
    expect(await barriers(page)).toEqual([]);
    const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(paper).toBe(colorScheme === 'dark' ? 'rgb(20, 23, 27)' : 'rgb(255, 255, 255)');
  });
});

test('is searched from the keyboard', async () => {
  await read({}, async (page) => {
    const all = await articles(page);
    await page.keyboard.press('/');
    await page.keyboard.type('Idempotency');
    expect(await articles(page)).toBeLessThan(all);
    expect(await page.locator('#post_messages').isVisible()).toBe(true);
    expect(await page.locator('#get_health').isVisible()).toBe(false);
    await page.keyboard.type(' nowhere');
    expect(await page.getByText('Nothing here holds this word').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await articles(page)).toBe(all);
  });
});

test('a line is copied and works in a shell', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  await read({ permissions }, async (page) => {
    expect(await page.locator('#origin').textContent()).toBe(gateway.url);
    const first = page.locator('#post_messages figure').first();
    await first.getByRole('button', { name: 'copy' }).click();
    await first.getByRole('button', { name: 'copied' }).waitFor();
    const line = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const env = { ...process.env, SLUICE_URL: gateway.url, SLUICE_KEY: gateway.key };
    const said = execFileSync('bash', ['-c', `${line} -sS`], { env, encoding: 'utf8' });
    expect(JSON.parse(said)).toMatchObject({ state: 'queued' });
  });
});

test('without scripts it is all there', async () => {
  await read({ javaScriptEnabled: false }, async (page) => {
    const { paths, components } = openApi(ROUTES);
    const routes = Object.values(paths).flatMap((verbs) => Object.keys(verbs));
    expect(await articles(page)).toBe(routes.length + Object.keys(components.schemas).length);
    expect(await page.locator('#search').isVisible()).toBe(false);
    expect(await page.locator('button').count()).toBe(0);
    await page.locator('#get_dead details summary').first().click();
    expect(await page.locator('#get_dead dl').first().isVisible()).toBe(true);
  });
});

test('on a phone nothing is wider than the screen', async () => {
  await read({ viewport: { width: 390, height: 800 } }, async (page) => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
