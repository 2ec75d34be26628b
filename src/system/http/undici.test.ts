import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
  const shared = Symbol.for('undici.globalDispatcher.1');
  const before = [undefined, { dispatch() {} }][Number(process.argv[1])];
  if (before !== undefined) globalThis[shared] = before;
  const { Pool } = await import(process.argv[2]);
  console.log(typeof Pool, globalThis[shared] === before);
`;

test.each(['0', '1'])('others keep the dispatcher they had, or have none: %s', async (which) => {
  const module = new URL('./undici.ts', import.meta.url).href;
  const args = ['--input-type=module', '-e', SCRIPT, which, module];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('function true\n');
});
