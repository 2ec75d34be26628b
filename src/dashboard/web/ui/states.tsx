// What a screen shows when it has nothing to show: it is still asking, there is nothing, or it went wrong.

import type { ComponentChildren } from 'preact';

export function Loading() {
  return (
    <p class="state dim" role="status">
      Asking the gateway…
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children === undefined ? null : <p class="dim">{children}</p>}
    </div>
  );
}

export function Trouble({ error, retry }: { error: string; retry: () => void }) {
  return (
    <div class="state bad-edge" role="alert">
      <p class="state-title">That did not work</p>
      <p class="dim">{error}</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}
