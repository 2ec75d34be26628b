// A wall clock that is set while the gateway is down: real processes, the second of which reads another time of day.

import { afterEach, describe, expect, test } from 'vitest';
import { type ServedSim, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { until } from './process/look.ts';

const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OWN_OPTIONS = process.env.NODE_OPTIONS ?? '';

let sim: ServedSim | null = null;
let gateway: GatewayProcess | null = null;

afterEach(async () => {
  process.env.NODE_OPTIONS = OWN_OPTIONS;
  await gateway?.end('SIGKILL');
  gateway?.remove();
  await sim?.close();
});

// What is started from now on believes that it is so much later, and, if told so, that the machine was started anew.
function setClock(byMs: number, isRebooted: boolean): void {
  const boot = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const read = fs.readFileSync; const id = '/proc/sys/kernel/random/boot_id';
    fs.readFileSync = (path, ...rest) => path === id ? '${'0'.repeat(32)}' : read(path, ...rest);
    syncBuiltinESMExports();`;
  const code = `${isRebooted ? boot : ''} const now = Date.now; Date.now = () => now() + ${byMs};`;
  const module = `data:text/javascript,${encodeURIComponent(code)}`;
  process.env.NODE_OPTIONS = `${OWN_OPTIONS} --import ${module}`;
}

describe.runIf(process.platform === 'linux')(
  'the wall clock, set while the gateway is down',
  () => {
    test.each([
      [HOUR, false],
      [-HOUR, false],
      [3 * HOUR, true],
      [-HOUR, true],
    ])(
      'by %i ms, leaves a freeze as long as it was (rebooted: %s)',
      {
        timeout: 2 * MINUTE,
      },
      async (byMs, isRebooted) => {
        sim = await serveSim({ host: '127.0.0.1', port: 0 });
        gateway = new GatewayProcess(sim.url);
        await gateway.start();
        sim.model.freeze(TOKEN, '55', 2 * 3600, Date.now());
        const to = { platform: 'telegram', account: TOKEN, chat: 55 };
        const asked = { to, method: 'sendMessage', body: { text: 'frozen' } };
        const { body: frozen } = await gateway.ask('POST', '/v1/messages', asked);
        const path = `/v1/messages/${frozen.id}`;
        await until(
          async () => (await gateway!.ask('GET', path)).body.attempts as { outcome: string }[],
          (attempts) => attempts.some(({ outcome }) => outcome === 'limited'),
        );
        await gateway.end('SIGKILL');
        setClock(byMs, isRebooted);
        await gateway.start();
        const { body } = await gateway.ask('GET', `/v1/messages/${frozen.id}/explain`);
        const causes = body.causes as { kind: string; until: string }[];
        const freeze = causes.find(({ kind }) => kind === 'freeze')!;
        const leftMs = Date.parse(freeze.until) - (Date.now() + byMs);
        expect(leftMs).toBeGreaterThan(2 * HOUR - 2 * MINUTE);
        expect(leftMs).toBeLessThanOrEqual(2 * HOUR + 1000);
        // And it is the freeze of before: one that had ended would have been answered with another.
        const { body: after } = await gateway.ask('GET', `/v1/messages/${frozen.id}`);
        expect(after.attempts).toHaveLength(1);
      },
    );
  },
);
