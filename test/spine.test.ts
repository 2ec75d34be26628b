// One message is read in few files; npm run spine lists them.

import { expect, test } from 'vitest';
import { run } from '../scripts/run.ts';

test('a message runs through as few files as are promised', async () => {
  // What comes from a cache of compiled code is counted less exactly.
  const env = { NODE_DISABLE_COMPILE_CACHE: '1' };
  const script = ['scripts/coverage-of-a-message.ts'];
  const { code, output } = await run(process.execPath, script, { env });
  expect(output).toMatch(/^POST \/v1\/messages: \d+ files/m);
  expect(code, output).toBe(0);
});
