// One folder for all that the tests of a run write, and what they start: it goes with the run, also where a test failed
// or was cut short before it tidied up.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | null = null;

// Called by the test runner; what it starts inherits the name.
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'sluice-run-'));
  // Postgres runs as someone else; what lies in it is in folders of their own.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  // Processes that are being killed may still write.
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
