// What an operator reads when something is wrong: the log, `sluice status`, the page, and `explain` name the real cause
// and what to do, and status says so by its exit code, too. Real processes, a real browser. A full disk: test/tasks.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { openBrowser, Visitor } from './page/browser.ts';
import { GatewayProcess } from './process/gateway.ts';
import { runSluice } from './process/sluice.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const ACCOUNT = 'telegram:4242';
const FROZEN_S = 900;
const WAITS = / (?:tried again at \d{4}-|waits for the answer to one call )/;
const POLL_MS = 50;

let browser: Promise<Browser> | null = null;
let sim: ServedSim | null = null;
let elsewhere: Server | null = null;
let gateway: GatewayProcess;
afterEach(async () => {
  await gateway.end('SIGKILL').catch(() => {});
  gateway.remove();
  await sim?.close();
  sim = null;
  elsewhere?.closeAllConnections();
  elsewhere?.close();
  elsewhere = null;
});

afterAll(async () => (await browser)?.close());

// Someone signed in, before the first screen.
async function look(): Promise<Visitor> {
  browser ??= openBrowser();
  const visitor = await Visitor.come(await browser, gateway.url);
  await visitor.signIn(gateway.key);
  return visitor;
}

// What the page says of one message, and why.
async function reads(visitor: Visitor, id: unknown, why: RegExp): Promise<void> {
  await visitor.see(`delivery/${id}`);
  const panel = visitor.page.locator('.panel', { hasText: 'Why it has not gone out' });
  await panel.locator('.why-words').filter({ hasText: why }).waitFor();
}

// A server in the platform's place that takes calls until it is told what to answer with; null: nothing, ever.
async function openWith(
  answer: { status: number; type: string; body: string } | null,
): Promise<void> {
  let isBroken = false;
  const server = createServer((request, response) => {
    const said = isBroken ? answer : takes(request.url ?? '');
    request.resume().on('end', () => {
      if (said !== null)
        response.writeHead(said.status, { 'content-type': said.type }).end(said.body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  elsewhere = server;
  gateway = new GatewayProcess(`http://127.0.0.1:${port}`, ['--log', 'info']);
  await gateway.start();
  expect((await send('hello')).status).toBe(202);
  await until(async () => ((await gateway.records())[0]?.state === 'sent' ? true : null));
  isBroken = true;
}

function takes(path: string) {
  const result = path.endsWith('/getMe') ? { id: 4242, is_bot: true } : { message_id: 1 };
  return { status: 200, type: 'application/json', body: JSON.stringify({ ok: true, result }) };
}

// What the queue on the page says of when it goes.
async function expects(visitor: Visitor, when: RegExp): Promise<void> {
  await visitor.see('queue');
  const cells = visitor.page.locator('.waiting td[data-label="expected"]');
  await cells.filter({ hasText: when }).first().waitFor();
}

async function open(): Promise<ServedSim> {
  const served = await serveSim({ host: '127.0.0.1', port: 0 });
  sim = served;
  gateway = new GatewayProcess(served.url, ['--log', 'info']);
  await gateway.start();
  expect((await send('hello')).status).toBe(202);
  await until(async () => ((await gateway.records())[0]?.state === 'sent' ? true : null));
  return served;
}

const send = (text: string, chat = 7) =>
  gateway.ask('POST', '/v1/messages', {
    to: { platform: 'telegram', account: TOKEN, chat },
    body: { text },
    priority: 'critical',
  });

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const incidents = async () =>
  (await gateway.ask('GET', '/v1/overview')).body.incidents as Record<string, unknown>[];
const status = () => runSluice(['status', '--url', gateway.url], { SLUICE_KEY: gateway.key });
const queue = () => runSluice(['queue', '--url', gateway.url], { SLUICE_KEY: gateway.key });
const explain = async (id: unknown) =>
  String((await gateway.ask('GET', `/v1/messages/${id}/explain`)).body.summary);

test('all is well: nothing is wrong, and status says so', async () => {
  await open();
  expect(await incidents()).toEqual([]);
  const { code, out } = await status();
  expect(code).toBe(0);
  expect(out).toMatch(/^http:\S+ is well \(/);
  expect(out).not.toMatch(/CRITICAL|WARNING/);
  const visitor = await look();
  await visitor.page.getByText('All accounts are well').waitFor();
  await visitor.leave();
});

test('the platform cannot be reached: its address and the error are named everywhere', async () => {
  const { url, close } = await open();
  const { port } = new URL(url);
  await close();
  sim = null;
  const { id } = (await send('waits')).body;
  const met = new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`);
  const [incident] = await until(async () => ((await incidents()).length > 0 ? incidents() : null));
  expect(incident).toMatchObject({ severity: 'critical', account: ACCOUNT, waiting: 1 });
  expect(incident!.summary).toMatch(met);
  expect(await explain(id)).toMatch(met);
  // While it is tried it does not wait.
  await until(async () => (WAITS.test((await queue()).out) ? true : null));
  const { code, out } = await status();
  expect(code).toBe(1);
  expect(out).toMatch(/^CRITICAL .*ECONNREFUSED/);
  expect(out).toContain(`sluice accounts probe ${ACCOUNT}`);
  expect(out).toContain(' needs help, 1 critical; the process itself works (');
  expect(out).not.toMatch(/ is (?:ok|well)/);
  const visitor = await look();
  await visitor.page.locator('.incidents li', { hasText: met }).waitFor();
  await reads(visitor, id, met);
  await expects(visitor, /^(?:tried again|waits for the answer to one call$)/);
  await visitor.leave();
  const { err } = await gateway.end('SIGTERM');
  const lines = err.split('\n').filter((line) => line.includes(`ECONNREFUSED 127.0.0.1:${port}`));
  expect(
    lines.some((line) => /"level":"warn".*"msg":"the platform does not answer/.test(line)),
  ).toBe(true);
  // Each try says what it met, too.
  expect(lines.some((line) => line.includes('"msg":"retry"'))).toBe(true);
});

const PAGE = { type: 'text/html', body: '<html><h1>Sign in to the network</h1></html>' };
test.each([
  [503, 'the platform answers', ' with errors', 'HTTP 503, not from the Bot API', 'status page'],
  [403, 'something else answers', ' in the platform’s place', 'HTTP 403, not from', 'proxy'],
  [200, 'the platform’s answers to', ' cannot be read', 'HTTP 200, not an answer', 'login page'],
])(
  'a page with %i in place of an answer: nobody says that there is none, and what to look at is named',
  async (code, begin, end, met, lookAt) => {
    await openWith({ status: code, ...PAGE });
    const ids: unknown[] = [];
    // Several at once: the breaker opens at the fifth failure.
    for (const chat of [5, 6, 7, 8, 9]) ids.push((await send('waits', chat)).body.id);
    const [incident] = await until(async () =>
      (await incidents()).length > 0 ? incidents() : null,
    );
    expect(String(incident!.summary).toLowerCase()).toContain(`${begin} ${ACCOUNT}${end}: http`);
    expect(incident!.summary).toContain(met);
    expect(incident!.remedy).toContain(lookAt);
    const { code: exit, out } = await status();
    expect(exit).toBe(1);
    expect(out).toContain(met);
    expect(out).toContain(lookAt);
    const explained = await until(async () => {
      const said = await explain(ids[0]);
      return said.includes('will probe') ? said : null;
    });
    expect(explained).toContain(end);
    expect(explained).toMatch(/; the next try is in [^;]+$/);
    const visitor = await look();
    const shown = visitor.page.locator('.incidents li', { hasText: met });
    await shown.getByText(lookAt).waitFor();
    await visitor.leave();
    const { err } = await gateway.end('SIGTERM');
    expect(err).toMatch(
      new RegExp(`"level":"warn".*${met}.*"msg":"${begin.split(' to')[0]}.*${end}`),
    );
    expect(explained + out + err + JSON.stringify(incident)).not.toContain('does not answer');
  },
);

test('a revoked token: which bot, that the platform refuses it, and what to do', async () => {
  const { model } = await open();
  model.revoke(TOKEN);
  const { id } = (await send('waits')).body;
  const [incident] = await until(async () => {
    const found = await incidents();
    return found[0]?.code === 'unauthorized' ? found : null;
  });
  expect(incident).toMatchObject({ severity: 'critical', account: ACCOUNT });
  expect(incident!.summary).toContain(`refuses the token of ${ACCOUNT}`);
  expect(await explain(id)).toMatch(/refuses its token; it needs a new one/);
  expect((await queue()).out).toMatch(/waits for a token the platform takes .* unauthorized$/m);
  const { code, out } = await status();
  expect(code).toBe(1);
  expect(out).toMatch(/^CRITICAL {2}The platform refuses the token of telegram:4242/);
  expect(out).toContain(`SLUICE_TOKEN=… npx sluice accounts add --url ${gateway.url}`);
  const visitor = await look();
  const shown = visitor.page.locator('.incidents li', {
    hasText: `refuses the token of ${ACCOUNT}`,
  });
  await shown.getByText('Give it a new token').waitFor();
  await reads(visitor, id, /the platform refuses its token; it needs a new one/);
  await expects(visitor, /^waits for a token the platform takes$/);
  const page = await visitor.page.content();
  await visitor.leave();
  const { err } = await gateway.end('SIGTERM');
  const lines = err.split('\n').filter((line) => line.includes(`"account":"${ACCOUNT}"`));
  expect(lines.some((line) => /"level":"(?:warn|error)".*refuses/.test(line))).toBe(true);
  // Nobody's secret is told with it.
  expect(out + page + err + JSON.stringify(incident)).not.toContain(TOKEN);
});

test('a frozen chat: until when, who said so, and that the rest goes on', async () => {
  const { model } = await open();
  model.freeze(TOKEN, '7', FROZEN_S, Date.now());
  const { id } = (await send('waits')).body;
  await until(async () => (/frozen/.test(await explain(id)) ? true : null));
  expect(await explain(id)).toMatch(
    /^chat 7 is frozen: the platform refused a message and asked to wait 900 s/,
  );
  const other = (await send('goes out', 8)).body.id;
  await until(async () =>
    (await gateway.records('&state=sent')).some((each) => each.id === other) ? true : null,
  );
  // It passes by itself: nobody has to be woken.
  const { code, out } = await status();
  expect([code, await incidents()]).toEqual([0, []]);
  expect(out).toMatch(/telegram:4242 +7 +\d{4}-.* left\) +the platform refused a message/);
  const visitor = await look();
  const shown = visitor.page.locator('.panel', { hasText: 'Freezes' });
  await shown.getByText('chat 7').waitFor();
  await reads(visitor, id, /frozen until \d\d:\d\d/i);
  await visitor.leave();
  const { err } = await gateway.end('SIGTERM');
  expect(err).toMatch(/"level":"warn".*"scope":"chat:7".*asked to wait 900 s.*"msg":"frozen"/);
});

test('a platform that takes calls and answers none: told long before their deadline', async () => {
  await openWith(null);
  expect((await status()).code).toBe(0);
  await send('hangs');
  await send('hangs, too', 8);
  const [incident] = await until(async () => {
    const found = await incidents();
    return found.length > 0 ? found : null;
  });
  expect(incident).toMatchObject({ code: 'no_answer', severity: 'critical', account: ACCOUNT });
  const { code, out } = await status();
  expect(code).toBe(1);
  expect(out).toMatch(
    /^CRITICAL {2}The platform does not answer telegram:4242: 2 calls are in flight, /,
  );
  expect(out).toMatch(/^CRITICAL .* none was answered for 1\d s\. Since \d{4}-/);
  expect(out).toMatch(/^telegram:4242 .*the platform answers none of its calls.*, since \d{4}-/m);
  const visitor = await look();
  await visitor.page.locator('.incidents li', { hasText: '2 calls are in flight' }).waitFor();
  await visitor.leave();
});

test('an unknown token whose platform cannot be reached: a line, an incident, and the answer says it', async () => {
  const { url, close } = await open();
  const { port } = new URL(url);
  await close();
  sim = null;
  const stranger = '77:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
  const met = new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`);
  const to = { platform: 'telegram', account: stranger, chat: 7 };
  for (let n = 0; n < 3; n++) {
    const { status: answered, body } = await gateway.ask('POST', '/v1/messages', {
      ...{ to, body: { text: 'hello' } },
    });
    expect([answered, body.code]).toEqual([502, 'platform_unreachable']);
  }
  const [incident] = await incidents();
  expect(incident).toMatchObject({ severity: 'critical', account: 'telegram:77', waiting: 0 });
  expect(incident!.summary).toMatch(met);
  const { code, out } = await status();
  expect(code).toBe(1);
  expect(out).toMatch(/^CRITICAL .*telegram:77.*ECONNREFUSED/);
  const visitor = await look();
  await visitor.page
    .locator('.panel', { hasText: 'Accounts' })
    .getByText('telegram:77', { exact: true })
    .waitFor();
  expect(await visitor.page.getByText('All accounts are well').count()).toBe(0);
  await visitor.leave();
  const { err } = await gateway.end('SIGTERM');
  const lines = err.split('\n').filter((line) => line.includes('cannot be asked whose token'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(met);
  expect(err + out + JSON.stringify(incident)).not.toContain(stranger);
});

test('resume says what it did, and what still holds the account back', async () => {
  const { close } = await open();
  const resume = () =>
    runSluice(['resume', ACCOUNT, '--url', gateway.url], { SLUICE_KEY: gateway.key });
  await gateway.ask('POST', `/v1/accounts/${ACCOUNT}/pause`);
  await send('waits');
  expect((await resume()).out).toBe(
    `${ACCOUNT} is no longer paused: 1 message goes out as its limits allow.\n`,
  );
  await until(async () => ((await gateway.records('&state=sent')).length === 2 ? true : null));
  await close();
  sim = null;
  await send('waits for the platform');
  await until(async () => ((await incidents()).length > 0 ? true : null));
  expect((await resume()).out).toMatch(
    /was not paused, but the platform does not answer \(.*ECONNREFUSED.*\): 1 message waits/,
  );
});
