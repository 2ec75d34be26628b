// A deed that is done once, however often its button is pressed before it is over: a second click would make a second
// key, or ask the same question again.

import { useRef } from 'preact/hooks';

export function useOnce<A extends readonly unknown[]>(
  deed: (...args: A) => Promise<unknown>,
): (...args: A) => void {
  const isUnderWay = useRef(false);
  return (...args) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    void deed(...args).finally(() => {
      isUnderWay.current = false;
    });
  };
}

// For a button that becomes its own opposite: the second click of a double click would undo the first. Keys count none.
export function firstClick(deed: () => unknown): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail <= 1) void deed();
  };
}

// useOnce for a form.
export function useSubmit(send: () => Promise<unknown>): (event: SubmitEvent) => void {
  const once = useOnce(send);
  return (event) => {
    event.preventDefault();
    once();
  };
}
