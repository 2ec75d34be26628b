// What a command sees of the world outside, and the two ways it can end badly. Tests bring their own.

import type { Readable } from 'node:stream';
import { harmlessJson } from './terminal/harmless.ts';

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(line: string): void;
  err(line: string): void;
  // What is piped in.
  readonly input?: Readable;
  // A line that the next one is drawn over; left out where nobody watches.
  progress?(line: string): void;
  // When stdout is one; left out: it is a file or a pipe.
  readonly terminal?: Terminal;
}

export interface Terminal {
  size(): { columns: number; rows: number };
  // As it is: control sequences are obeyed.
  write(text: string): void;
  // Whether it may be written to in colours.
  readonly isColoured?: boolean;
  // Keys as they are pressed, not line by line, and changes of the size; answers how to stop. Left out: nobody types.
  attend?(handlers: { key(key: string): void; resize(): void }): () => void;
}

// Did not work (exit code 1). The message says what to do.
export class Failed extends Error {
  override readonly name = 'Failed';
}

// Was asked wrongly (exit code 2).
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

export function printJson(io: Io, value: unknown): void {
  io.out(harmlessJson(value, 2));
}
