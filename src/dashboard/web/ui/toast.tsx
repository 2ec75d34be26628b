// What became of something one did, for a moment in the corner; read out by screen readers. What says more stays
// longer, and nothing goes while the mouse is on it or nobody looks at the page.

import { Ended, messageOf } from '../lib/api.ts';
import { later } from '../lib/browser.ts';
import { session } from '../lib/session-store.ts';
import { Store, useStore } from '../lib/store.ts';

interface Toast {
  readonly n: number;
  readonly text: string;
  readonly isBad: boolean;
}

const SHOWN_MS = 6000;
// As slowly as people read that have something else to do, too.
const LETTER_MS = 80;
const AGAIN_MS = 1000;
const SHOWN_MAX = 4;
const toasts = new Store<readonly Toast[]>([]);
let last = 0;
let isHeld = false;

// They told somebody else.
session.follow(({ kind }) => {
  if (kind === 'in') return;
  isHeld = false;
  toasts.set([]);
});

export function notify(text: string, isBad = false): void {
  last += 1;
  const n = last;
  toasts.set([...toasts.value, { n, text, isBad }].slice(-SHOWN_MAX));
  later(Math.max(SHOWN_MS, text.length * LETTER_MS), () => takeAway(n));
}

function takeAway(n: number): void {
  if (isHeld || document.hidden) later(AGAIN_MS, () => takeAway(n));
  else toasts.set(toasts.value.filter((toast) => toast.n !== n));
}

// Does it, and tells how it went; true: it worked.
export async function attempt(deed: () => Promise<string>): Promise<boolean> {
  try {
    notify(await deed());
    return true;
  } catch (error) {
    if (!(error instanceof Ended)) notify(messageOf(error), true);
    return false;
  }
}

export function Toasts() {
  const shown = useStore(toasts);
  const hold = (isOn: boolean) => {
    isHeld = isOn;
  };
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
    >
      {shown.map(({ n, text, isBad }) => (
        <p key={n} class={isBad ? 'toast bad' : 'toast'}>
          {text}
        </p>
      ))}
    </div>
  );
}
