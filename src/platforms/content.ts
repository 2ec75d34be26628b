// What a call leaves in a message, as text that is equal when the content is; `apart`: the parameters that say where it
// goes and how, not what it is. Null where a file comes with it: one may differ under the same name.

import { hasFiles } from '../domain/body.ts';

export function contentOf(
  body: string,
  params: Readonly<Record<string, unknown>>,
  apart: readonly string[],
): string | null {
  if (hasFiles(body)) return null;
  const parts = Object.entries(params).filter(([name]) => !apart.includes(name));
  return JSON.stringify(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}
