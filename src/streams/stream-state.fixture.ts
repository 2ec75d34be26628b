// Streams that are valid, small, and open to change.

import type { NewStream } from './streams.ts';

export function aNewStream(changes: Partial<NewStream> = {}): NewStream {
  return {
    account: 'telegram:1',
    platform: 'telegram',
    chat: '-1001000000001',
    thread: null,
    session: null,
    user: null,
    correlation: null,
    priority: 'normal',
    format: 'plain',
    transport: null,
    params: {},
    idleMs: 120_000,
    ...changes,
  };
}
