// The command line as a process: the hand-over to the pinned Node, exit codes, signals, pipes, terminals, the drain.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type JudgedCall, serveSim } from '../src/sim/sim.ts';
import { GatewayProcess } from './process/gateway.ts';
import { BIN, runSluice, Sluice } from './process/sluice.ts';

describe('bin/sluice.js', () => {
  test('passes output and exit code on', async () => {
    const launch = (args: string[]) => runSluice(args, {}, { entry: [BIN] });
    const version = await launch(['--version']);
    expect(version.code).toBe(0);
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await launch(['nonsense'])).code).toBe(2);
    expect((await launch(['status', '--url', 'http://127.0.0.1:9'])).code).toBe(1);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'passes %s on and waits for the end',
    async (signal) => {
      const sluice = new Sluice(['sim', '--port', '0'], {}, { entry: [BIN] });
      const line = await sluice.said('listens on');
      const answer = await fetch(`${/http:\S+/.exec(line)![0]}/bot1:sandbox/getMe`);
      expect(answer.status).toBe(200);
      sluice.kill(signal);
      expect((await sluice.ended).code).toBe(0);
    },
  );
});

describe('sluice sim', () => {
  test('has the limits and the faults it was given', async () => {
    const limits = ['--group-mpm', '2', '--group-spacing-ms', '1'];
    const sluice = new Sluice(['sim', '--port', '0', ...limits, '--fault', 'bad_gateway=0']);
    const broken = new Sluice(['sim', '--port', '0', '--no-limits', '--fault', 'bad_gateway=1']);
    const [one, other] = await Promise.all([sluice.said('listens on'), broken.said('listens on')]);
    const send = (line: string) =>
      fetch(`${/http:\S+/.exec(line)![0]}/bot1:sandbox/sendMessage?chat_id=-1001&text=hello`);
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await send(one)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await send(other)).status).toBe(502);
    for (const each of [sluice, broken]) each.kill('SIGTERM');
    expect((await sluice.ended).code).toBe(0);
    expect((await broken.ended).code).toBe(0);
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  const template = { type: 'template', template: { name: 'a', language: { code: 'en' } } };
  test.each<[string, string[], string, string, object[], (number | string)[]]>([
    [
      'discord',
      ['create_per_5s=1', 'edit_per_5s=2'],
      '/api/v10/channels/5/messages',
      'Bot 1.token',
      [{ content: 'hello' }, { content: 'hello' }],
      [200, 429],
    ],
    [
      'whatsapp',
      ['tier=1'],
      '/v23.0/1555/messages',
      'Bearer any',
      [
        { to: '15550000001', ...template },
        { to: '15550000002', ...template },
      ].map((body) => ({ messaging_product: 'whatsapp', ...body })),
      [200, 131048],
    ],
    [
      'slack',
      ['channel_burst=1'],
      '/api/chat.postMessage',
      'Bearer xoxb-1-2-token',
      [
        { channel: 'C1', text: 'hello' },
        { channel: 'C1', text: 'hello' },
      ],
      [200, 429],
    ],
  ])(
    'is of the platform that is asked for: %s',
    async (platform, limits, path, who, calls, said) => {
      const flags = limits.flatMap((limit) => ['--limit', limit]);
      const sluice = new Sluice(['sim', '--platform', platform, '--port', '0', ...flags]);
      const url = /http:\S+/.exec(await sluice.said('listens on'))![0];
      const heard: (number | string)[] = [];
      for (const call of calls) {
        const headers = { authorization: who, ...JSON_TYPE };
        const answer = await fetch(`${url}${path}`, {
          ...{ method: 'POST', headers, body: JSON.stringify(call) },
        });
        const { error } = (await answer.json()) as { error?: { code?: number } };
        heard.push(error?.code ?? answer.status);
      }
      expect(heard).toEqual(said);
      sluice.kill('SIGTERM');
      expect((await sluice.ended).code).toBe(0);
    },
  );

  test('refuses an option that means nothing there', async () => {
    const edits = await runSluice(['sim', '--platform', 'slack', '--edits', 'free']);
    expect([edits.code, edits.err]).toEqual([2, expect.stringContaining('--edits')]);
    const limit = await runSluice(['sim', '--platform', 'slack', '--group-mpm', '3']);
    expect([limit.code, limit.err]).toEqual([2, expect.stringContaining('no such limit')]);
  });

  test('its worlds keep their own options', async () => {
    const { code, out } = await runSluice(['sim', 'world', '--seed', '7', '--minutes', '0.1']);
    expect(code).toBe(0);
    expect(out).toContain('world 7:');
    expect(out).toContain('1 run, 0 broken');
  });
});

describe('whoever reads', () => {
  test('may stop reading: the command ends, quietly', async () => {
    const child = spawn(process.execPath, [BIN, 'config'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });

  test('may leave a gateway: it goes on, and ends in order', async () => {
    const gateway = new GatewayProcess('http://127.0.0.1:9');
    try {
      await gateway.start();
      gateway.hangUp();
      expect((await gateway.ask('GET', '/health')).status).toBe(200);
      // It says that it ends, to nobody.
      expect((await gateway.end('SIGTERM')).code).toBe(0);
    } finally {
      gateway.remove();
    }
  });

  // A real terminal, as far as programs can tell.
  const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
    'util-linux',
  );
  const inTerminal = (line: string, env: Record<string, string> = {}) =>
    spawn('script', ['-qec', `stty rows 24 cols 80; ${line}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NO_COLOR: '', TERM: 'xterm', ...env },
    });

  test.runIf(hasScript)('top takes a terminal and gives it back', async () => {
    const sim = await serveSim({ host: '127.0.0.1', port: 0 });
    const gateway = new GatewayProcess(sim.url);
    try {
      await gateway.start();
      const env = { SLUICE_URL: gateway.url, SLUICE_KEY: gateway.key };
      const child = inTerminal(`'${process.execPath}' '${BIN}' top`, env);
      let seen = '';
      const drawn = Promise.withResolvers<void>();
      child.stdout.on('data', (chunk) => {
        seen += chunk;
        if (seen.includes('q quit')) drawn.resolve();
      });
      await drawn.promise;
      child.stdin.write('q');
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
      expect(seen).toContain(`sluice at ${gateway.url} is well`);
      expect(seen.indexOf('\u001b[?1049h')).toBeLessThan(seen.indexOf('q quit'));
      expect(seen.trimEnd().endsWith('\u001b[?1049l')).toBe(true);
    } finally {
      await gateway.end('SIGKILL');
      gateway.remove();
      await sim.close();
    }
  });

  test.runIf(hasScript)('a terminal gets no colours when NO_COLOR says so', async () => {
    const child = inTerminal(`'${process.execPath}' '${BIN}' nonsense`, { NO_COLOR: '1' });
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(2);
    expect(seen).toContain('unknown command');
    expect(seen).not.toContain('\u001b');
  });
});

describe('SIGTERM', () => {
  const TOKEN = '4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

  // Poll and call would go on for 40 and 60 s: only cutting them off ends it before the test's own time-out.
  test('ends within the drain time though a call and a long poll hang', {
    timeout: 30_000,
  }, async () => {
    const judged = Promise.withResolvers<void>();
    const onCall = ({ method }: JudgedCall) => method === 'sendMessage' && judged.resolve();
    const sim = await serveSim({ host: '127.0.0.1', port: 0, onCall });
    const gateway = new GatewayProcess(sim.url, ['--drain-ms-max', '1000']);
    try {
      await gateway.start();
      const script = [{ fault: { kind: 'hang', delivered: true }, chat: '500' }];
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ script });
      await fetch(`${sim.url}/sim/faults`, { method: 'POST', headers, body });
      const poll = fetch(`${gateway.url}/bot${TOKEN}/getUpdates?timeout=40`);
      const held = gateway.ask('POST', `/bot${TOKEN}/sendMessage`, { chat_id: 500, text: 'x' });
      await judged.promise;
      expect((await gateway.end('SIGTERM')).code).toBe(0);
      expect((await poll).status).toBe(502);
      // Not lost: it is in doubt, and goes out after the start. So its client must not repeat it on its own.
      expect((await held).status).toBe(409);
      await gateway.start();
      expect(await gateway.records()).toMatchObject([{ chat: '500', doubts: 1 }]);
    } finally {
      await gateway.end('SIGKILL');
      gateway.remove();
      await sim.close();
    }
  });
});
