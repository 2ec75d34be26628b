// Those who wait for a stream to come to its end.

import type { StreamView } from './streams.ts';

type Resolve = (view: StreamView) => void;

export class StreamWaiters {
  readonly #waiting = new Map<string, Set<Resolve>>();

  wait(id: string, signal: AbortSignal): Promise<StreamView> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiting = this.#waiting.get(id) ?? new Set<Resolve>();
      this.#waiting.set(id, waiting);
      const leave = () => {
        waiting.delete(settle);
        if (waiting.size === 0) this.#waiting.delete(id);
        reject(signal.reason);
      };
      const settle = (view: StreamView) => {
        signal.removeEventListener('abort', leave);
        resolve(view);
      };
      waiting.add(settle);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  resolve(view: StreamView): void {
    const waiting = this.#waiting.get(view.id) ?? [];
    this.#waiting.delete(view.id);
    for (const resolve of waiting) resolve(view);
  }
}
