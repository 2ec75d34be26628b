// A stream in the hands of a library user: what the routes do, as calls. Refusals are values, as `send` has them.

import { EventEmitter } from 'node:events';
import { waitOf } from '../../accept/submit.ts';
import type { Problem } from '../../domain/errors.ts';
import { HOLDERS } from '../../domain/idempotency.ts';
import type { StreamView } from '../../streams/streams.ts';
import { valueProblem } from '../edge.ts';
import { type BodyReading, feedStream } from './body.ts';
import { cancelStream, changeStream, findStream, finishStream, openStream } from './calls.ts';
import type { StreamOptions } from './draft.ts';
import { endProblem } from './end.ts';
import type { StreamFanOutRequest, StreamRequest } from './schema.ts';
import { type ShownStream, showStream } from './view.ts';
import { StreamWaits } from './waits.ts';

// What POST /v1/streams takes.
export type StreamMessage = StreamRequest | StreamFanOutRequest;

type StreamResult = Promise<ShownStream | Problem>;

interface FinishOptions {
  /** Seconds to wait until the text has arrived; true: as long as allowed. */
  readonly wait?: number | boolean;
}

export interface StreamHandle {
  /** Under which the routes know it. */
  readonly id: string;
  /** More text at its end; durable when it resolves. */
  append(text: string): Promise<ShownStream | Problem>;
  /** Another text in its place; durable when it resolves. */
  replace(text: string): Promise<ShownStream | Problem>;
  /**
   * Ends it, with a last piece of text if there is one; with `wait` it resolves when the text has
   * arrived.
   */
  final(text?: string, finish?: FinishOptions): Promise<ShownStream | Problem>;
  /** Ends it without a final; what was shown stays. */
  cancel(): Promise<ShownStream | Problem>;
  /** Its state now. */
  view(): Promise<ShownStream | Problem>;
}

export interface Streaming {
  (request: StreamMessage): Promise<StreamHandle | Problem>;
  /**
   * All of it in one call. If the source fails, the text is finished with what it had, and the
   * error is thrown on.
   */
  (request: StreamMessage, source: AsyncIterable<string>, finish?: FinishOptions): StreamResult;
}

const NO_HEADERS = { correlation: null, idempotencyKey: null, holder: HOLDERS.library };

// Whoever waits for an arrival stops waiting when the gateway closes.
export function streaming(atEnd: (stop: () => void) => void, options: StreamOptions): Streaming {
  const waits = new StreamWaits(options.live, options.clock);
  atEnd(() => waits.stop());
  const stream = async (
    request: StreamMessage,
    source?: AsyncIterable<string>,
    finish: FinishOptions = {},
  ): Promise<StreamHandle | ShownStream | Problem> => {
    const unfit = valueProblem(request);
    if (unfit !== null) return unfit;
    const waitMs = waitOf(options, finish);
    if (typeof waitMs !== 'number') return waitMs;
    const opened = await openStream(options, request, NO_HEADERS);
    if ('code' in opened) return opened;
    const { view, isNew } = opened;
    if (source === undefined) return handleOf(options, waits, view.id);
    // Its text has come, or comes, from the source that was first.
    if (!isNew) return arrived(options, waits, view, waitMs);
    return pourIn(options, waits, view, source, waitMs);
  };
  return stream as Streaming;
}

async function pourIn(
  options: StreamOptions,
  waits: StreamWaits,
  opened: StreamView,
  source: AsyncIterable<string>,
  waitMs: number,
): StreamResult {
  const failures: unknown[] = [];
  const readings = async function* (): AsyncGenerator<BodyReading> {
    try {
      for await (const text of source) {
        yield { change: { kind: 'append', text }, isOver: false, error: null };
      }
    } catch (error) {
      failures.push(error);
    }
  };
  const end = await feedStream(options.live, options.clock, opened.id, readings());
  if (failures.length > 0) throw failures[0];
  if (end.kind !== 'finished') return endProblem(options.tag, end, opened);
  return arrived(options, waits, end.view, waitMs);
}

function handleOf(options: StreamOptions, waits: StreamWaits, id: string): StreamHandle {
  const shown = async (asked: Promise<StreamView | Problem>): StreamResult => {
    const view = await asked;
    return 'code' in view ? view : showStream(options.tag, view);
  };
  return {
    id,
    append: (append) => shown(changeStream(options, id, { append })),
    replace: (replace) => shown(changeStream(options, id, { replace })),
    async final(append, finish = {}) {
      const text = append === undefined ? {} : { append };
      const finished = await finishStream(options, id, { ...finish, ...text });
      if ('code' in finished) return finished;
      return arrived(options, waits, finished.view, finished.waitMs);
    },
    cancel: () => shown(cancelStream(options, id)),
    view: () => shown(findStream(options, id)),
  };
}

async function arrived(
  options: StreamOptions,
  waits: StreamWaits,
  view: StreamView,
  waitMs: number,
): Promise<ShownStream> {
  // Nobody in this process hangs up.
  const ended = waitMs === 0 ? null : await waits.ended(view.id, waitMs, new EventEmitter());
  return showStream(options.tag, ended ?? view);
}
