// What the browser gives, in one place: time, waiting, and what is remembered. Nothing else on the page asks for them.

export function wallNow(): number {
  return Date.now();
}

// Both answer how to stop.
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

export interface Memory {
  get(name: string): string | null;
  set(name: string, value: string | null): void;
}

// For as long as the tab is open, and for good.
export const tabMemory = memoryOf(() => sessionStorage);
export const longMemory = memoryOf(() => localStorage);

// A browser that lets nobody remember throws at the first touch.
function memoryOf(storage: () => Storage): Memory {
  return {
    get(name) {
      try {
        return storage().getItem(`sluice.${name}`);
      } catch {
        return null;
      }
    },
    set(name, value) {
      try {
        if (value === null) storage().removeItem(`sluice.${name}`);
        else storage().setItem(`sluice.${name}`, value);
      } catch {
        // Then it is forgotten with the page.
      }
    },
  };
}
