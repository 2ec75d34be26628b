// What a screen shows when it has nothing to show: it is still asking, there is nothing, or it went wrong; and what it
// shows of an answer otherwise.

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

interface Asked<T> {
  readonly data: T | null;
  readonly error: string | null;
  reload(): Promise<void>;
}

// What was answered before stays while the next answer is awaited, or fails.
export function Answered<T>(props: { to: Asked<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, reload } = props.to;
  if (data !== null) return <>{props.children(data)}</>;
  return error === null ? <Loading /> : <Trouble error={error} retry={() => void reload()} />;
}
