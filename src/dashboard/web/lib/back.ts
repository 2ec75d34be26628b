// Back closes what lies above the screen, and leaves the screen as it is: while a dialog is open there is one step more
// in the browser's history.

import { later } from './browser.ts';

const open: (() => void)[] = [];
let hasStep = false;
// The browser goes back in its own time: whoever leads on meanwhile would be led back, too.
let isGoingBack = false;
const waiting: (() => void)[] = [];

addEventListener('popstate', () => {
  isGoingBack = false;
  for (const deed of waiting.splice(0)) deed();
  if (!hasStep) return;
  hasStep = false;
  open.at(-1)?.();
});

// Answers how to say that it is closed.
export function closeOnBack(close: () => void): () => void {
  open.push(close);
  if (!hasStep) history.pushState({ isDialog: true }, '');
  hasStep = true;
  return () => {
    open.splice(open.indexOf(close), 1);
    // Not at once: one question may follow another.
    later(0, () => {
      if (open.length > 0 || !hasStep) return;
      hasStep = false;
      // Else a link has led on from there.
      const { state } = history as { state: { isDialog?: true } | null };
      if (state?.isDialog !== true) return;
      isGoingBack = true;
      history.back();
    });
  };
}

// Now, or when the browser has gone back.
export function onceBack(deed: () => void): void {
  if (isGoingBack) waiting.push(deed);
  else deed();
}
