// What ingest tells as log lines: each forced mode, each wait, each channel that fails. New posts are counted, not
// told: they stand in the store.

import type { LineLog } from './line-log.ts';

// As ingest tells it.
type IngestEvent =
  | { readonly kind: 'posts'; readonly source: number; readonly ids: readonly string[] }
  | { readonly kind: 'looked'; readonly source: number }
  | { readonly kind: 'forced'; readonly source: number; readonly reason: string }
  | {
      readonly kind: 'gap';
      readonly source: number;
      readonly after: string;
      readonly before: string;
    }
  | {
      readonly kind: 'waits';
      readonly source: number;
      readonly method: string;
      readonly until: number;
    }
  | {
      readonly kind: 'failed' | 'dead';
      readonly source: number;
      readonly reason: string;
      readonly detail: string;
    }
  | { readonly kind: 'unread'; readonly source: number; readonly detail: string }
  | { readonly kind: 'fault'; readonly source: number | null; readonly error: unknown };

// `nameOf`: of a source; null: it is gone.
export function ingestLog(
  log: LineLog,
  nameOf: (source: number) => string | null,
): (event: IngestEvent) => void {
  return (event) => {
    const { source } = event;
    const about = { source, channel: source === null ? null : nameOf(source) };
    switch (event.kind) {
      case 'posts':
        log.debug({ ...about, posts: event.ids.length }, 'new posts');
        return;
      case 'looked':
        log.debug(about, 'looked at a channel');
        return;
      case 'forced':
        log.info({ ...about, mode: 'historical', reason: event.reason }, 'historical mode forced');
        return;
      case 'gap': {
        const { after, before } = event;
        log.warn(
          { ...about, after, before },
          'gap in a channel: posts between two ids are missing',
        );
        return;
      }
      case 'waits': {
        const until = new Date(Math.min(event.until, 8.64e15)).toISOString();
        log.warn({ ...about, method: event.method, until }, 'the platform asks to wait');
        return;
      }
      case 'unread':
        log.warn({ ...about, detail: event.detail }, 'no reader is available for a channel');
        return;
      case 'failed':
      case 'dead': {
        const { reason, detail } = event;
        const isDead = event.kind === 'dead';
        const message = isDead
          ? 'a channel fails for good and is not looked at any more; `sluice ingest dead` lists it'
          : 'a look at a channel failed; trying again later';
        log[isDead ? 'error' : 'warn']({ ...about, reason, detail }, message);
        return;
      }
      case 'fault':
        log.error({ ...about, err: event.error }, 'a look at a channel was cut short');
        return;
    }
  };
}
