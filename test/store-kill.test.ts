// kill -9 at any moment of writing, also while the log is being moved into the file: the next start finds all that was
// answered, and never thinks that something is missing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openDatabase, storeFileOf } from '../src/system/databases/sqlite.ts';
import { intBelow, seededRandom } from '../src/system/random.ts';
import { WRITER } from './process/sluice.ts';

const ROUNDS = 30;
// So many lines after it opened it is killed, at the latest.
const LINES_MAX = 60;

test(`${ROUNDS} times: all that was answered is there, and nothing is said`, {
  timeout: 5 * 60_000,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
  const random = seededRandom(41);
  let answered = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const child = spawn(process.execPath, [...WRITER, dir], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let err = '';
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const ended = once(child, 'exit');
      let lines = intBelow(random, LINES_MAX);
      for await (const line of createInterface({ input: child.stdout })) {
        if (line !== 'open') answered = Math.max(answered, Number(line));
        if (lines-- === 0) child.kill('SIGKILL');
      }
      await ended;
      expect([round, err]).toEqual([round, '']);
    }
    const db = openDatabase(storeFileOf(dir), { readOnly: true, busyMsMax: 0 });
    const found = db.prepare('SELECT max(seq) AS last, count(*) AS n FROM deliveries').get()!;
    db.close();
    expect(Number(found.last)).toBeGreaterThanOrEqual(answered);
    expect(found.n).toBe(found.last);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
