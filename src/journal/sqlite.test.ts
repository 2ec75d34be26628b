import { journalContract } from './journal.contract.ts';
import { openHarness } from './sqlite.fixture.ts';

journalContract('sqlite', openHarness);
