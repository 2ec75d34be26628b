// A list that comes in pages. The first is live; whoever asks for more reads on undisturbed, until they go back.

import { useRef, useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { useFetched } from './use-fetched.ts';

export interface Pages<T> {
  // null: nothing has come yet.
  readonly items: readonly T[] | null;
  readonly next: string | null;
  readonly error: string | null;
  readonly isLive: boolean;
  // How many came.
  more(): Promise<number>;
  reload(): Promise<void>;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

type Answer = Readonly<Record<string, unknown>>;

// `path` has a query; `name`: under which the answer has its items.
export function usePages<T>(path: string, name: string, mark: unknown): Pages<T> {
  const [read, setRead] = useState<(Page<T> & { readonly path: string }) | null>(null);
  // Whoever goes back to the beginning, asks twice or looks at another list has no use for what is still on its way.
  const wanted = useRef({ path });
  if (wanted.current.path !== path) wanted.current = { path };
  // Of another list.
  const older = read?.path === path ? read : null;
  const { data, error, reload } = useFetched<Answer>(path, older === null ? mark : null);
  const pageOf = (answer: Answer): Page<T> => ({
    items: answer[name] as readonly T[],
    next: answer.next as string | null,
  });
  const shown = older ?? (data === null ? null : pageOf(data));
  return {
    items: shown?.items ?? null,
    next: shown?.next ?? null,
    error,
    isLive: older === null,
    async more() {
      const mine = { path };
      wanted.current = mine;
      const page = pageOf(await ask<Answer>('GET', `${path}&cursor=${shown?.next}`));
      const items = [...(shown?.items ?? []), ...page.items];
      if (wanted.current === mine) setRead({ path, items, next: page.next });
      return page.items.length;
    },
    async reload() {
      wanted.current = { path };
      setRead(null);
      await reload();
    },
  };
}
