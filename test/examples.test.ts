// The examples run as they are written, each in an empty folder, and say what they are meant to say.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { exists, ROOT } from './tidy/tree.ts';

const SAYS: Readonly<Record<string, string>> = {
  'first-message.ts':
    'sent, as message 1\ndead, because message_empty: Bad Request: message text is empty\n',
  'broadcast.ts': 'done: 3 of 3 sent\n101: sent\n102: sent\n103: sent\n',
  'events.ts': 'sendMessage to 42: sending → sent\n'.repeat(3),
  'stream.ts': 'done: 47 units in 1 message\ndone: 23 units\n',
  'rest.ts': '200: sent\nsendMessage, high priority, 1 try\n',
};

// It needs a Redis, and has a test of its own.
const APART = { 'drain-bullmq.ts': 'test/drain-bullmq.test.ts' };

test('every example is run', () => {
  expect(readdirSync(join(ROOT, 'examples')).sort()).toEqual(
    [...Object.keys(SAYS), ...Object.keys(APART)].sort(),
  );
  for (const path of Object.values(APART)) expect(exists(path)).toBe(true);
});

test.each(Object.entries(SAYS))('%s', async (name, says) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'));
  try {
    const args = [join(ROOT, 'examples', name)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    // A refusal is worth a warning in the log; an example that succeeds says nothing else.
    expect({ stdout, isQuiet: !stderr.includes('error') }).toEqual({ stdout: says, isQuiet: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
