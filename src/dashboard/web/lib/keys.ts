// The keyboard: single keys, `g` and a letter for the screens, j and k along lists. Nothing happens while someone
// types, or with a modifier, which belongs to the browser.

import { later } from './browser.ts';

export interface Shortcut {
  // `?`, or `g o`.
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
}

const SECOND_KEY_MS_MAX = 1500;

// Answers how to stop listening.
export function listenToKeys(shortcuts: readonly Shortcut[]): () => void {
  let first = '';
  let forget = () => {};
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const pressed = first === '' ? event.key : `${first} ${event.key}`;
    const found = shortcuts.find(({ keys }) => keys === pressed);
    forget();
    first = '';
    if (found !== undefined) {
      event.preventDefault();
      found.run();
    } else if (shortcuts.some(({ keys }) => keys.startsWith(`${pressed} `))) {
      first = pressed;
      forget = later(SECOND_KEY_MS_MAX, () => {
        first = '';
      });
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

let last: { readonly row: HTMLElement; readonly index: number } | null = null;

// Along whatever the screen marks as rows, in the order they stand. A row that has gone from under the keyboard, such
// as a message that was sent, leaves one where it stood.
export function moveAlongRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const isGone = last !== null && document.activeElement === document.body && !last.row.isConnected;
  const first = step > 0 ? 0 : rows.length - 1;
  const beside = isGone ? last!.index + (step > 0 ? 0 : -1) : first;
  const index = Math.min(rows.length - 1, Math.max(0, at < 0 ? beside : at + step));
  const row = rows[index];
  if (row === undefined) return;
  last = { row, index };
  row.focus();
}
