// What the browser gives, in one place: time, waiting, and what is remembered. Nothing else on the page asks for them.

export function wallNow(): number {
  return Date.now();
}

// Where this page came from: the gateway's own address.
export function origin(): string {
  return location.origin;
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

interface Memory {
  get(name: string): string | null;
  set(name: string, value: string | null): void;
}

// Of small wishes, never of secrets. A browser that lets nobody remember throws at the first touch.
export const memory: Memory = {
  get(name) {
    try {
      return localStorage.getItem(`sluice.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`sluice.${name}`);
      else localStorage.setItem(`sluice.${name}`, value);
    } catch {
      // Then it is forgotten with the page.
    }
  },
};
