// What is dear to make and seldom needed: made when it is first asked for, so that no start pays for it.

export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
