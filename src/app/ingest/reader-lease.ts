// By what the leases of readers are known as this process's own: a token that is drawn at each start, so that no node
// of a fleet can be taken for another, whatever their names. A process that dies keeps its leases until they are over.
// An embedded store is one process's at a time, so there nobody has to wait for that: what the process before this one
// held is given back at the start, by its token, which lies beside the store.

import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IngestStore } from '../../store/ports/ingest.ts';
import { PRIVATE_FILE } from '../../system/private-files.ts';

const TOKEN_BYTES = 18;
const FILE = 'sluice.readers';

export function drawLeaseToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

interface Parts {
  // Of the embedded store, which this process has.
  readonly folder: string;
  readonly store: Pick<IngestStore, 'releaseLease'>;
  // Of all readers there may be.
  readonly names: readonly string[];
  readonly token: string;
}

// Given back before it is forgotten: a crash in between loses nothing.
export async function takeOverLeases({ folder, store, names, token }: Parts): Promise<void> {
  const file = join(folder, FILE);
  const former = await readFile(file, 'utf8').catch(() => null);
  if (former !== null) {
    for (const name of names) await store.releaseLease({ name, token: former.trim() });
  }
  await writeFile(file, `${token}\n`, { mode: PRIVATE_FILE });
}
