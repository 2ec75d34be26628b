// A stranger's load in a process of its own, so that what is measured beside it is the gateway and not the one who
// measures. Runs until its parent says stop. It has the lowest priority: strangers bring a machine of their own, and
// what they take of this one is not the gateway's doing.

import { constants, setPriority } from 'node:os';
import {
  heldCalls,
  type Load,
  sandboxAccounts,
  unknownTokens,
  uploads,
} from '../../test/strangers/loads.ts';
import type { LoadName } from './strangers.ts';

setPriority(constants.priority.PRIORITY_LOW);

const nothing = () => {};
// More than a round can take: a load lasts as long as the round.
const MANY = 1_000_000;

const LOADS: Readonly<Record<LoadName, () => Load>> = {
  'held calls': () => heldCalls(8000, 100),
  'unknown tokens': () => unknownTokens(MANY, nothing),
  uploads: () => uploads(MANY, 1_000_000, nothing),
  'sandbox accounts': () => sandboxAccounts(MANY, nothing),
};

const [name, url] = process.argv.slice(2) as [LoadName, string];
const strain = LOADS[name]()(url);
process.once('message', async () => {
  strain.stop();
  await strain.done;
  process.disconnect();
});
process.send!('loading');
