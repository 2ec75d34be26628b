import { journalContract } from '../contract/journal.contract.ts';
import { openHarness } from './sqlite.fixture.ts';

journalContract('sqlite', openHarness);
