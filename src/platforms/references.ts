// Messages that had no id yet when a call about them was made: found by their provisional ids under the parameters that
// hold ids of messages, and named by the real ones, as text, when those are known.

import { seqOfProvisional } from '../domain/ids.ts';
import type { References } from './platform.ts';

// Most calls mention none, which is told without reading them.
const MENTION = /:"?-\d/;

export function referencesIn(names: readonly string[]): References {
  return {
    mentions(body) {
      if (!MENTION.test(body)) return [];
      const params = JSON.parse(body) as Readonly<Record<string, unknown>>;
      return names.map((name) => seqOfProvisional(params[name])).filter((seq) => seq !== null);
    },
    named(body, ids) {
      const params = JSON.parse(body) as Record<string, unknown>;
      for (const name of names) {
        const id = ids.get(seqOfProvisional(params[name]) ?? 0);
        if (id !== undefined) params[name] = id;
      }
      return JSON.stringify(params);
    },
  };
}
