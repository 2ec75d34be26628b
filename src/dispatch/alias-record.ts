// Another id of a chat, as it is kept with the limits of its account.

import type { AccountId } from '../domain/ids.ts';
import type { StoredLimit } from '../store/ports/limits.ts';
import { jsonOrUndefined } from '../system/json.ts';

const KEY = 'alias|';

export interface Alias {
  readonly from: string;
  readonly to: string;
  // The old id no longer works: calls that name it are sent to the new one.
  readonly moved: boolean;
}

export function recordOf(account: AccountId, alias: Alias, now: number): StoredLimit {
  const { from, to, moved } = alias;
  return { account, key: `${KEY}${from}`, value: JSON.stringify({ to, moved }), updatedAt: now };
}

// What deletes its record.
export function deletionOf(account: AccountId, from: string, now: number): StoredLimit {
  return { account, key: `${KEY}${from}`, value: '', updatedAt: now };
}

// null: it is none, or cannot be read.
export function readAlias({ key, value }: StoredLimit): Alias | null {
  if (!key.startsWith(KEY)) return null;
  const stored = jsonOrUndefined(value);
  if (typeof stored !== 'object' || stored === null) return null;
  const { to, moved } = stored as Record<string, unknown>;
  if (typeof to !== 'string') return null;
  return { from: key.slice(KEY.length), to, moved: moved === true };
}
