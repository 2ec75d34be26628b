// A value that parts of the page share, and a hook to follow it.

import { useLayoutEffect, useState } from 'preact/hooks';

export class Store<T> {
  #value: T;
  readonly #followers = new Set<(value: T) => void>();

  constructor(initial: T) {
    this.#value = initial;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follow of [...this.#followers]) follow(value);
  }

  follow(follower: (value: T) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.value);
  // Before it is painted: what is done to the page at once must not meet what was before.
  useLayoutEffect(() => {
    setValue(() => store.value);
    return store.follow((next) => setValue(() => next));
  }, [store]);
  return value;
}
