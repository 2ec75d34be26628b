// The question before something is done to all letters that a filter finds: it says how many those are.

import { ask, pathOf } from '../../lib/api.ts';
import { type DeadFilter, type Deed, doToAll } from '../../lib/dead.ts';
import { plural, words } from '../../lib/format.ts';
import type { DeadGroup } from '../../lib/wire/more.ts';
import { confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';

const MEANS: Readonly<Record<Deed, string>> = {
  retry: 'They take their old places in the queue, and go at the pace their chats allow.',
  discard: 'They will never be sent. Their records stay until retention removes them.',
};

export function sureOf(deed: Deed, title: string, total: number | null): Promise<boolean> {
  const yes = deed === 'retry' ? 'Retry them' : 'Give them up';
  const many = total === null ? '' : `${plural(total, 'letter')}. `;
  const text = many + MEANS[deed];
  return confirm({ title, text, yes, isDangerous: deed === 'discard' });
}

export async function sureOfAll(deed: Deed, filter: DeadFilter): Promise<boolean> {
  const verb = deed === 'retry' ? 'Retry' : 'Give up';
  return sureOf(deed, `${verb} all ${inWords(filter)}?`, await countOf(filter));
}

// Answers when all is done, or nothing after second thoughts.
export async function handleAll(deed: Deed, filter: DeadFilter): Promise<void> {
  if (await sureOfAll(deed, filter)) await attempt(() => doToAll(deed, filter, () => {}));
}

// null: it could not be asked; whoever does it all the same is told afterwards.
async function countOf(filter: DeadFilter): Promise<number | null> {
  const path = pathOf('/v1/dead', { ...filter, group: 'cause' });
  try {
    const { groups } = await ask<{ groups: readonly DeadGroup[] }>('GET', path);
    return groups.reduce((sum, { count }) => sum + count, 0);
  } catch {
    return null;
  }
}

// What the filter finds, as it would be said.
function inWords(filter: DeadFilter): string {
  const { state, ...rest } = filter;
  const parts = Object.entries(rest).filter(([, value]) => value !== '');
  const which = parts.map(([name, value]) => `${name} ${name === 'reason' ? words(value) : value}`);
  const kind = state === 'uncertain' ? 'letters in doubt' : 'dead letters';
  return which.length === 0 ? kind : `${kind} with ${which.join(', ')}`;
}
