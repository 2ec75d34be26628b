// A stream as callers see it, and what Sluice says when it cannot take a change of it.

import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { formatId } from '../../domain/ids.ts';
import type { Fed, OpenedStream, StreamView } from '../../streams/streams.ts';
import { unreachable } from '../../system/assert.ts';

export type ShownStream = ReturnType<typeof showStream>;

export function showStream(tag: string, view: StreamView) {
  const { id, state, reason, platform, account, chat, thread, session, correlation } = view;
  return {
    id,
    state,
    reason,
    platform,
    account,
    chat,
    thread,
    session,
    correlation,
    transport: view.transport,
    format: view.format,
    units: view.units,
    shownUnits: view.shownUnits,
    messages: view.messages.map(({ seq, messageId }) => ({ id: formatId(tag, seq), messageId })),
    finals: view.finals.map((seq) => formatId(tag, seq)),
    openedAt: showTime(view.openedAt),
    changedAt: showTime(view.changedAt),
    endedAt: showTimeOrNull(view.endedAt),
    cadenceMs: view.cadenceMs,
    superseded: view.superseded,
    waitsFor: view.waitsFor,
  };
}

// Of several nodes, oldest first. One that has just changed hands may be told of twice: its new owner knows better.
export function inOrder(lists: readonly (readonly ShownStream[])[]): readonly ShownStream[] {
  const [only] = lists;
  if (lists.length === 1) return only!;
  const byId = new Map<string, ShownStream>();
  for (const stream of lists.flat()) {
    const known = byId.get(stream.id);
    if (known === undefined || known.changedAt < stream.changedAt) byId.set(stream.id, stream);
  }
  return [...byId.values()].sort((a, b) => compare(a.openedAt, b.openedAt) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function noStream(): Problem {
  return problem('unknown_stream', '');
}

export function streamsFull(full: Extract<OpenedStream, { kind: 'full' }>): Problem {
  const { streamsMax } = full;
  return problem('streams_full', `${streamsMax} streams are open.`, { streamsMax });
}

// Why the change was not taken. What the stream has become is told with it: that is what one asks next.
export function fedProblem(tag: string, fed: Exclude<Fed, { kind: 'taken' }>): Problem {
  switch (fed.kind) {
    case 'unknown':
      return noStream();
    case 'ended':
      return endedProblem(tag, fed.view);
    case 'too_long':
      return tooLong(fed.unitsMax);
    case 'queue_full':
      return noRoom(fed.queueMax);
    default:
      return unreachable(fed);
  }
}

export function endedProblem(tag: string, view: StreamView): Problem {
  const why = view.reason === null ? '' : ` (${view.reason})`;
  const stream = showStream(tag, view);
  return problem('stream_ended', `The stream is ${view.state}${why}.`, { stream });
}

export function tooLong(unitsMax: number, told: { stream?: ShownStream } = {}): Problem {
  const detail = `The text may have ${unitsMax} UTF-16 units; this change was not taken.`;
  return problem('stream_too_long', detail, { unitsMax, ...told });
}

export function noRoom(queueMax: number, told: { stream?: ShownStream } = {}): Problem {
  const detail = `The queue is full. The stream stays open: ask for its final again.`;
  return problem('queue_full', detail, { queueMax, ...told });
}
