// undici, loaded without what it does to others: it makes itself the dispatcher of Node's own fetch and of every older
// undici in the process, which then refuse forms that are not its own. A program that has the gateway as a library
// keeps its own. Required, not imported: what was there before must be known.

import { createRequire } from 'node:module';

const SHARED = Symbol.for('undici.globalDispatcher.1');

function load(): typeof import('undici') {
  const before: unknown = Reflect.get(globalThis, SHARED);
  const loaded = createRequire(import.meta.url)('undici') as typeof import('undici');
  // Where nobody had one yet, whoever comes next makes its own.
  Reflect.set(globalThis, SHARED, before);
  return loaded;
}

export const { Agent, Pool, request } = load();
