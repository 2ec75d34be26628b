// python-telegram-bot 13, as Debian packages it (python3-python-telegram-bot), where it can be installed: forms,
// multipart with parts that are referred to, and a time-out of 5 s that it does not repeat on its own.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ensure } from '../../scripts/ensure.ts';
import { serveSim } from '../../src/sim/sim.ts';
import { GatewayProcess } from '../process/gateway.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('./python_telegram_bot.py', import.meta.url));
// Debian's own, which has Debian's libraries.
const PYTHON = '/usr/bin/python3';
const TOKEN = '7200:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const NOBODY = '404404';
const SLOW = '34';
// Longer than the other calls and the library's own time, shorter than the script asks for the second time.
const SLOW_S = 16;
const TEST_MS_MAX = 240_000;

const isInstalled = (await ensure('python-telegram-bot')) !== null;

test.skipIf(!isInstalled)(
  'does what a bot does',
  async () => {
    const sim = await serveSim({ host: '127.0.0.1', port: 0 });
    sim.model.setChat(NOBODY, { kind: 'missing' });
    const gateway = new GatewayProcess(sim.url);
    await gateway.start();
    try {
      sim.model.freeze(TOKEN, SLOW, SLOW_S, Date.now());
      const args = ['-W', 'ignore', SCRIPT, gateway.url, TOKEN, NOBODY, SLOW];
      const { stdout } = await run(PYTHON, args);
      expect(JSON.parse(stdout)).toEqual({
        edited: 'hello, world',
        deleted: true,
        photo: 70_000,
        album: [900, 30],
        file: 'simulated file',
        refused: 'Chat not found',
        timed_out: 'Timed out',
        again: 'patience',
      });
      expect(sim.model.messagesOf(SLOW).map(({ text }) => text)).toEqual(['patience']);
    } finally {
      await gateway.end('SIGKILL');
      gateway.remove();
      await sim.close();
    }
  },
  TEST_MS_MAX,
);
