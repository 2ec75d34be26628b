// What a route answers, for a screen: asked when the screen opens, again when its mark changes (which says that there
// is something new), and by hand. What was there stays until the new is; nothing flickers. Answers may come in another
// order than they were asked for: one that was asked for earlier never replaces a later one's.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask, messageOf, Refused } from '../api.ts';
import { later, wallNow } from '../browser.ts';
import { line } from '../live.ts';
import { useStore } from '../store.ts';

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
  const turns = useRef({ asked: 0, shown: 0 });
  // Of another path, or of a screen that was left, nobody waits for an answer any more.
  const hangUp = useMemo(() => new AbortController(), [path]);
  useLayoutEffect(() => () => hangUp.abort(), [hangUp]);
  const isLive = useStore(line) === 'live';
  const load = useCallback(async () => {
    if (path === null) return;
    askedAt.current = wallNow();
    const { signal } = hangUp;
    turns.current.asked += 1;
    const turn = turns.current.asked;
    const show = (next: (before: State<T>) => State<T>) => {
      if (signal.aborted || turn < turns.current.shown) return;
      turns.current.shown = turn;
      setState(next);
    };
    try {
      const data = await ask<T>('GET', path, undefined, signal);
      show(() => ({ path, data, ...FINE }));
    } catch (error) {
      show((before) => ({
        path,
        data: before.path === path ? before.data : null,
        error: messageOf(error),
        code: error instanceof Refused ? error.code : null,
      }));
    }
  }, [path, hangUp]);
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
