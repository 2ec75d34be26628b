// The routes of every platform's own API, asked of the platforms of the registry: nothing here names one.

import { openPlatforms } from '../../src/app/platforms.ts';
import { configOf } from '../../src/config/config.ts';
import { routesOf } from '../../src/http/dialects/drop-in.ts';
import { systemClock } from '../../src/system/clock.ts';
import { systemRandom } from '../../src/system/random.ts';

const { platforms } = await openPlatforms(
  configOf({}),
  {},
  {
    clock: systemClock(),
    random: systemRandom(),
    files: { has: () => false, read: () => nothingIsRead() },
    report: () => {},
    log: { warn: () => {} },
  },
);

export const DIALECT_ROUTES = [...platforms.values()].flatMap(({ dialect }) =>
  dialect === undefined ? [] : routesOf(dialect),
);

function nothingIsRead(): never {
  throw new Error('no file is sent from here');
}
