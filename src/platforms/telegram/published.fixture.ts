// The methods of the Bot API, read from the newest types that are published for it: what a table of ours must know.

import { readFileSync } from 'node:fs';

const TYPES = new URL('../../../node_modules/@grammyjs/types/methods.d.ts', import.meta.url);
const text = readFileSync(TYPES, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');

// By method: its parameters and their types; `?` where it may be left out.
export const published = new Map<string, Map<string, { type: string; isOptional: boolean }>>();
for (const [, method, args = ''] of text
  .slice(text.indexOf('type ApiMethods'))
  .matchAll(/^ {4}(\w+)\((?:args\??: ?(\{[\s\S]*?\n {4}\}|[^)]*))?\): ?/gm)) {
  const params = [...args.matchAll(/^ {8}(\w+)(\??): ([\s\S]*?);$/gm)].map(
    ([, name, optional, type]) =>
      [name!, { type: type!.replace(/\s+/g, ' '), isOptional: optional === '?' }] as const,
  );
  published.set(method!, new Map(params));
}
