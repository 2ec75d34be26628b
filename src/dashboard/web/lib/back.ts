// Back closes a dialog and leaves the screen as it is: while a dialog is open there is one step more in the browser's
// history. Whether that step is there is read from the browser each time, which keeps it over a reload and a Forward;
// a step without a dialog is taken back, wherever it comes from. The browser goes back in its own time: until it has,
// nothing else may touch the history, or one would be led back from the wrong place.

import { later } from './browser.ts';

// A browser that drops the order to go back says nothing. Then the step stays, and is no longer one of a dialog.
const BACK_MS_MAX = 3000;

const open: (() => void)[] = [];
const waiting: (() => void)[] = [];
let isGoingBack = false;
let stopWaiting = () => {};

addEventListener('popstate', () => {
  const isOurs = isGoingBack;
  haveGoneBack();
  // Back was pressed, or a link has led on.
  if (!isOurs && !isAtStep()) open.at(-1)?.();
  later(0, settle);
});
addEventListener('click', holdLink, true);
// One that a reload has left.
later(0, settle);

// Answers how to say that it is closed.
export function closeOnBack(close: () => void): () => void {
  open.push(close);
  settle();
  return () => {
    open.splice(open.indexOf(close), 1);
    // Not at once: one question may follow another.
    later(0, settle);
  };
}

// Now, or when the browser has gone back.
export function onceBack(deed: () => void): void {
  if (isGoingBack) waiting.push(deed);
  else deed();
}

function isAtStep(): boolean {
  const { state } = history as { state: { isDialog?: true } | null };
  return state?.isDialog === true;
}

// The step is there exactly while a dialog is open.
function settle(): void {
  if (isGoingBack || isAtStep() === open.length > 0) return;
  if (open.length > 0) {
    history.pushState({ isDialog: true }, '');
    return;
  }
  isGoingBack = true;
  stopWaiting = later(BACK_MS_MAX, () => {
    if (isAtStep()) history.replaceState(null, '');
    haveGoneBack();
    settle();
  });
  history.back();
}

function haveGoneBack(): void {
  stopWaiting();
  isGoingBack = false;
  for (const deed of waiting.splice(0)) deed();
}

// A link within the page that is followed before the browser has gone back.
function holdLink(event: MouseEvent): void {
  if (!isGoingBack || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
  if (link === null) return;
  event.preventDefault();
  onceBack(() => {
    location.hash = link.hash;
  });
}
