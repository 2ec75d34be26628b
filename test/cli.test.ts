// The command line as a process: the hand-over to the pinned Node, exit codes, signals.

import { describe, expect, test } from 'vitest';
import { runSluice, Sluice } from './process/sluice.ts';

describe('bin/sluice.js', () => {
  test('passes output and exit code on', async () => {
    const version = await runSluice(['--version']);
    expect(version.code).toBe(0);
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runSluice(['nonsense'])).code).toBe(2);
    expect((await runSluice(['status', '--url', 'http://127.0.0.1:9'])).code).toBe(1);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'passes %s on and waits for the end',
    async (signal) => {
      const sluice = new Sluice(['sim', '--port', '0']);
      const line = await sluice.said('listens on');
      const answer = await fetch(`${/http:\S+/.exec(line)![0]}/bot1:sandbox/getMe`);
      expect(answer.status).toBe(200);
      sluice.kill(signal);
      expect((await sluice.ended).code).toBe(0);
    },
  );
});
