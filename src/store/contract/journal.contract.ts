// What every journal must do. Run by the test of each implementation, with its own way to open a
// store, to close it, and to open it again as a new process would.

import { afterEach, beforeEach, describe } from 'vitest';
import { appending, slots } from './accepting.contract.ts';
import { attempting, moving } from './attempting.contract.ts';
import { broadcasts } from './broadcasts.contract.ts';
import { callers } from './callers.contract.ts';
import { damaged } from './damaged.contract.ts';
import { incoming } from './incoming.contract.ts';
import { ingest } from './ingest.contract.ts';
import type { Harness } from './journal.fixture.ts';
import { keeping } from './keeping.contract.ts';
import { keys } from './keys.contract.ts';
import { minutes } from './minutes.contract.ts';
import { owning } from './owning.contract.ts';
import { receipts } from './receipts.contract.ts';
import { renames } from './renames.contract.ts';
import { sessions } from './sessions.contract.ts';
import { streams } from './streams.contract.ts';

export function journalContract(name: string, open: () => Promise<Harness>): void {
  describe(`journal: ${name}`, () => {
    let store: Harness;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.dispose());

    appending(() => store);
    slots(() => store);
    attempting(() => store);
    moving(() => store);
    receipts(() => store);
    damaged(() => store);
    keeping(() => store);
    callers(() => store);
    incoming(() => store);
    streams(() => store);
    broadcasts(() => store);
    keys(() => store);
    ingest(() => store);
    minutes(() => store);
    sessions(() => store);
    renames(() => store);
    owning(() => store);
  });
}
