// What a route answers, for a screen: asked when the screen opens, again when its mark changes (which says that there
// is something new), and by hand. What was there stays until the new is; nothing flickers.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, messageOf, Refused } from './api.ts';
import { later, wallNow } from './browser.ts';
import { line } from './live.ts';
import { useStore } from './store.ts';

// A screen asks again at most this often, however much happens.
const AGAIN_MS_MIN = 2000;
const FINE = { error: null, code: null } as const;

interface Fetched<T> {
  readonly data: T | null;
  readonly error: string | null;
  // Of the refusal, as docs/reference/errors.md lists them; null: there is none.
  readonly code: string | null;
  reload(): Promise<void>;
}

interface State<T> {
  readonly path: string | null;
  readonly data: T | null;
  readonly error: string | null;
  readonly code: string | null;
}

export function useFetched<T>(path: string | null, mark: unknown = null): Fetched<T> {
  const [state, setState] = useState<State<T>>({ path: null, data: null, ...FINE });
  const askedAt = useRef(0);
  const isLive = useStore(line) === 'live';
  const load = useCallback(async () => {
    if (path === null) return;
    askedAt.current = wallNow();
    try {
      const data = await ask<T>('GET', path);
      setState({ path, data, ...FINE });
    } catch (error) {
      setState((before) => ({
        path,
        data: before.path === path ? before.data : null,
        error: messageOf(error),
        code: error instanceof Refused ? error.code : null,
      }));
    }
  }, [path]);
  // What was refused from the start is not asked for again by itself.
  const isRefused = state.path === path && state.data === null && state.error !== null;
  useEffect(() => void load(), [load, isLive]);
  useEffect(() => {
    if (mark === null || isRefused) return;
    const dueMs = askedAt.current + AGAIN_MS_MIN - wallNow();
    return later(Math.max(0, dueMs), () => void load());
  }, [mark, load, isRefused]);
  const isMine = state.path === path;
  const { data, error, code } = isMine ? state : { data: null, ...FINE };
  return { data, error, code, reload: load };
}
