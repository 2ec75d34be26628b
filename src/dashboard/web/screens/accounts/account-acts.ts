// What an operator does to an account: pause, resume, try it now, remove. Each says what it really did.

import { ask, Refused } from '../../lib/api.ts';
import { plural, sentence } from '../../lib/format.ts';
import { confirm } from '../../ui/dialog.tsx';
import { attempt } from '../../ui/toast.tsx';

interface Probed {
  readonly found: 'taken' | 'refused' | 'unreachable';
  readonly detail: string;
  readonly thawed: number;
}

const pathOf = (id: string) => `/v1/accounts/${encodeURIComponent(id)}`;

export async function pause(id: string): Promise<void> {
  const yes = await confirm({
    title: `Pause ${id}?`,
    text: 'Nothing of this account is sent until it is resumed. What is accepted meanwhile waits on disk.',
    yes: 'Pause',
    isDangerous: true,
  });
  if (!yes) return;
  await attempt(async () => {
    await ask('POST', `${pathOf(id)}/pause`);
    return `${id} is paused.`;
  });
}

export async function resume(id: string): Promise<void> {
  await attempt(async () => {
    const { summary } = await ask<{ summary: string }>('POST', `${pathOf(id)}/resume`);
    return summary;
  });
}

// Asks the platform at once. Where it said to wait, only after a warning: asking too early may make the wait longer.
export async function probe(id: string): Promise<void> {
  await attempt(async () => {
    try {
      return probedInWords(id, await ask<Probed>('POST', `${pathOf(id)}/probe`, {}));
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'frozen') throw error;
      const yes = await confirm({
        title: `Try ${id} before its time?`,
        text: `The platform said to wait. ${sentence(error.message)} Whoever calls earlier may be made to wait longer.`,
        yes: 'Try it now',
        isDangerous: true,
      });
      if (!yes) return `${id} was not tried: it goes on by itself.`;
      const probed = await ask<Probed>('POST', `${pathOf(id)}/probe`, { force: true });
      return probedInWords(id, probed);
    }
  });
}

function probedInWords(id: string, { found, detail, thawed }: Probed): string {
  const met = detail === '' ? '' : ` (${detail.replace(/\.$/, '')})`;
  const ended = thawed === 0 ? '' : ` ${plural(thawed, 'freeze is', 'freezes are')} ended.`;
  switch (found) {
    case 'taken':
      return `The platform answers and takes the token of ${id}.${ended}`;
    case 'refused':
      return `The platform answers, and refuses the token of ${id}${met}.${ended}`;
    case 'unreachable':
      return `The platform still takes no calls of ${id}${met}.${ended}`;
  }
}

export async function remove(id: string): Promise<void> {
  const yes = await confirm({
    title: `Remove ${id}?`,
    text: 'Its token is forgotten. What waits for it, its streams, broadcasts and virtual tokens end for good.',
    yes: 'Remove',
    isDangerous: true,
  });
  if (!yes) return;
  await attempt(async () => {
    await ask('DELETE', pathOf(id));
    return `${id} is removed.`;
  });
}
