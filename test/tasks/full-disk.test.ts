// What a newcomer finds when the disk is full: every screen says so, the terminal too, and what to do about it.

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, Visitor } from '../page/browser.ts';
import { Scene } from '../page/scene.ts';
import { GatewayProcess } from '../process/gateway.ts';
import { runSluice } from '../process/sluice.ts';
import { AtTheTerminal, Newcomer } from './steps.ts';

const MIB = 1_048_576;

const gateway = new GatewayProcess('http://127.0.0.1:9', ['--log', 'info']);
const filler = join(gateway.data, 'filler');
let browser: Browser | null = null;

mkdirSync(gateway.data);
const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', gateway.data]);
const isMounted = status === 0;

beforeAll(async () => {
  if (!isMounted) return;
  const opening = openBrowser();
  writeFileSync(filler, Buffer.alloc(5 * MIB));
  await gateway.start();
  browser = await opening;
});

afterAll(async () => {
  await browser?.close();
  if (isMounted) {
    await gateway.end('SIGKILL');
    spawnSync('umount', ['-l', gateway.data]);
  }
  gateway.remove();
});

const send = (text: string) =>
  gateway.ask('POST', '/v1/messages', {
    to: { platform: 'telegram', account: '1:sandbox', chat: 42 },
    body: { text },
  });

// Until even the moves of what waits find no room: first to the last byte, then what the store had taken before.
async function fill(): Promise<void> {
  const isFull = async () => (await gateway.ask('GET', '/health/details')).body.status === 'down';
  takeAllRoom();
  for (let refused = 0; refused < 20 || !(await isFull()); ) {
    if ((await send('.'.repeat(3000))).status === 503) refused += 1;
  }
}

function takeAllRoom(): void {
  try {
    for (;;) appendFileSync(join(gateway.data, 'rest'), Buffer.alloc(1024));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  }
}

test.skipIf(!isMounted)(
  'a full disk: what is wrong and what to do, wherever one looks (needs root: mounts a tmpfs)',
  async () => {
    const { id } = (await send('The first')).body;
    // One a second: some of them wait until the disk is full.
    for (let n = 0; n < 20; n++) await send(`and ${n} more`);
    const held = fetch(`${gateway.url}/bot1:sandbox/sendMessage`, {
      method: 'POST',
      body: new URLSearchParams({ chat_id: '42', text: 'Its caller waits' }),
    });
    await new Scene(gateway).until('/v1/messages?text=Its+caller', ({ items }) =>
      (items as { state: string }[]).some(({ state }) => state === 'queued'),
    );
    const visitor = await Visitor.come(browser!, gateway.url);
    await visitor.signIn(gateway.key);
    await fill();
    const newcomer = new Newcomer(visitor.page);
    for (const screen of ['Messages', 'Streams', 'Overview']) {
      await newcomer.click(new RegExp(`^${screen}`));
      await newcomer.reads(/The disk is full: nothing is accepted, nothing is sent\..*Free space/);
    }
    newcomer.done();
    const env = { SLUICE_KEY: gateway.key };
    const terminal = new AtTheTerminal(`npx sluice status --url ${gateway.url}`, env);
    expect(await terminal.run(/.+/)).toMatch(/^CRITICAL {2}The disk is full.*\n +Free space/);
    terminal.done();
    const { code, out: top, err } = await runSluice(['top', '--url', gateway.url], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(top).toMatch(/needs help, .*critical/);
    expect(top).toContain('CRITICAL The disk is full: nothing is accepted, nothing is sent. Free');
    // One line, and what to do.
    const errors = gateway.output.split('\n').filter((line) => line.includes('"level":"error"'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/disk is full.*free space/i);
    const answer = await held;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-sluice-delivery')).not.toBeNull();
    expect(((await answer.json()) as { description: string }).description).toMatch(/disk is full/i);
    const [waiting] = await gateway.records('&state=queued');
    const explained = await gateway.ask('GET', `/v1/messages/${waiting!.id}/explain`);
    expect(explained.body).toMatchObject({ eta: null });
    expect(explained.body.summary).toContain('the disk is full');
    const refused = await send('.'.repeat(3000));
    expect(refused).toMatchObject({ status: 503, body: { code: 'disk_full' } });
    expect(refused.body.detail).toContain('Free space');

    rmSync(filler);
    expect((await send('There is room')).status).toBe(202);
    await visitor.page.locator('.banner').waitFor({ state: 'detached' });
    await new Scene(gateway).until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
  },
  60_000,
);
