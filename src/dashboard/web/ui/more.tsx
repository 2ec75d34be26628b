// The end of a list that goes on, and the way back to its live beginning.

import { plural } from '../lib/format.ts';
import type { Pages } from '../lib/hooks/use-pages.ts';
import { attempt } from './toast.tsx';

export function More<T>({ pages, label = 'Show more' }: { pages: Pages<T>; label?: string }) {
  const { next, isLive } = pages;
  if (next === null && isLive) return null;
  const more = () =>
    attempt(async () => {
      const came = await pages.more();
      return came === 0 ? 'None in the next part.' : `${plural(came, 'more', 'more')}.`;
    });
  return (
    <p class="panel-body actions">
      {next === null ? null : (
        <button type="button" onClick={() => void more()}>
          {label}
        </button>
      )}
      {isLive ? null : (
        <button type="button" class="quiet" onClick={() => void pages.reload()}>
          Back to the beginning
        </button>
      )}
    </p>
  );
}
