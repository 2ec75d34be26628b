// What became of something one did, for a moment in the corner; read out by screen readers.

import { messageOf } from '../lib/api.ts';
import { later } from '../lib/browser.ts';
import { Store, useStore } from '../lib/store.ts';

interface Toast {
  readonly n: number;
  readonly text: string;
  readonly isBad: boolean;
}

const SHOWN_MS = 6000;
const SHOWN_MAX = 4;
const toasts = new Store<readonly Toast[]>([]);
let last = 0;

export function notify(text: string, isBad = false): void {
  last += 1;
  const n = last;
  toasts.set([...toasts.value, { n, text, isBad }].slice(-SHOWN_MAX));
  later(SHOWN_MS, () => toasts.set(toasts.value.filter((toast) => toast.n !== n)));
}

// Does it, and tells how it went; true: it worked.
export async function attempt(deed: () => Promise<string>): Promise<boolean> {
  try {
    notify(await deed());
    return true;
  } catch (error) {
    notify(messageOf(error), true);
    return false;
  }
}

export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ n, text, isBad }) => (
        <p key={n} class={isBad ? 'toast bad' : 'toast'}>
          {text}
        </p>
      ))}
    </div>
  );
}
