// The listeners of one node's bus: topics share one channel, and what is no message of ours is left out.

import { MESSAGE_BYTES_MAX } from './coordination.ts';

const SEPARATOR = '\n';
const TOPIC_CHARS_MAX = 64;
const ENVELOPE_BYTES_MAX = MESSAGE_BYTES_MAX + TOPIC_CHARS_MAX + SEPARATOR.length;

export class Topics {
  readonly #listeners = new Map<string, Set<(message: string) => void>>();

  subscribe(topic: string, listener: (message: string) => void): () => void {
    // Wrapped, so that one function may listen twice.
    const entry = (message: string) => listener(message);
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) {
        this.#listeners.delete(topic);
      }
    };
  }

  deliver(envelope: string): void {
    if (Buffer.byteLength(envelope) > ENVELOPE_BYTES_MAX) return;
    const end = envelope.indexOf(SEPARATOR);
    if (end < 0) return;
    const listeners = this.#listeners.get(envelope.slice(0, end)) ?? [];
    for (const listener of [...listeners]) listener(envelope.slice(end + SEPARATOR.length));
  }

  clear(): void {
    this.#listeners.clear();
  }
}

export function envelopeOf(topic: string, message: string): string {
  return `${topic}${SEPARATOR}${message}`;
}
