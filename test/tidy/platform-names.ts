// No platform is named outside its folder, its simulator and the registry (docs and tests are free): what the gateway
// does for one it does for all, by asking the port. Comments count, too: what is explained by one platform alone is
// that platform's.

import { isTest, type Violation } from './import-rules.ts';
import type { Source } from './source.ts';

const REGISTRY = 'src/platforms/registry.ts';
// Written from the platforms' documents; a folder each, and what their folders share.
const SIMULATORS = 'src/sim/';

// `terminal` is also a word of the trade: it is a platform's name where it stands in quotes, or for its folder.
export const NAMES: Readonly<Record<string, RegExp>> = {
  telegram: /telegram/i,
  // Also a word of the trade, for how far off a time may be.
  slack: /slack(?!_MS\b)/i,
  discord: /discord/i,
  whatsapp: /whatsapp/i,
  terminal: /['"`]terminal(?:['"`]|:)|platforms\/terminal\//,
};

export interface Knowing {
  // A file, or a folder with all in it.
  readonly path: string;
  readonly reason: string;
}

// Those that still do. One that does not any more fails the test, and so does a longer list: it only gets shorter.
export const KNOWING_MAX = 1;
export const KNOWING: readonly Knowing[] = [
  { path: 'src/grammy/grammy.ts', reason: 'a face for a library of Telegram bots' },
];

export function platformNames(
  { path, text }: Source,
  knowing: readonly Knowing[] = KNOWING,
): Violation[] {
  if (!path.startsWith('src/') || isTest(path)) return [];
  if (path === REGISTRY || path.startsWith(SIMULATORS)) return [];
  if (knowing.some((each) => path.startsWith(each.path))) return [];
  return Object.entries(NAMES)
    .filter(([name, pattern]) => !isOwn(path, name) && pattern.test(text))
    .map(([name]) => ({
      rule: 'platform-names',
      path,
      detail: `names ${name}; ask the port for what it is about`,
    }));
}

function isOwn(path: string, name: string): boolean {
  return path.startsWith(`src/platforms/${name}/`);
}
