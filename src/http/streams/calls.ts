// What can be asked of streams, checked: the routes and the library both end here, so they mean the same.

import type { FromHeaders } from '../../accept/draft.ts';
import { invalid } from '../../accept/problems.ts';
import type { TargetRequest } from '../../accept/schema.ts';
import { isFanOut, waitOf } from '../../accept/submit.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem, type Trouble } from '../../domain/errors.ts';
import type { Fed, StreamChange, StreamView } from '../../streams/streams.ts';
import { draftStream, type StreamOptions } from './draft.ts';
import { draftObserving } from './observers.ts';
import {
  checkStream,
  checkStreamChange,
  checkStreamFanOut,
  checkStreamFinal,
  type StreamRequest,
} from './schema.ts';
import { fedProblem, noStream, streamsFull } from './view.ts';

// `isNew`: false when its key was used before, and this is the stream of then.
export async function openStream(
  options: StreamOptions,
  item: unknown,
  headers: FromHeaders,
): Promise<{ view: StreamView; isNew: boolean } | Problem> {
  const { live, tag } = options;
  const asked = readStream(item);
  if ('code' in asked) return asked;
  const { request, targets } = asked;
  const drafted = await draftStream(options, request, headers);
  if (drafted.kind === 'refused') return drafted.problem;
  const observers = draftObserving(options, request, targets, drafted.stream, headers);
  const stream =
    observers.length === 0 ? drafted.stream : { ...drafted.stream, observers, isObserved: true };
  const opened = await live.open(stream);
  if (opened.kind === 'full') return streamsFull(opened);
  if (opened.kind === 'conflict') {
    return problem('idempotency_conflict', '', { id: opened.id });
  }
  const { view } = opened;
  const isNew = opened.kind === 'opened';
  const { text = '' } = request;
  // What it begins with may be missing from the stream of then: it was opened, and then we fell.
  const begins = text !== '' && view.state === 'open' && view.units === 0;
  if (!begins) return { view, isNew };
  const fed = await live.change(view.id, { kind: 'append', text });
  if (fed.kind === 'taken') return { view: fed.view, isNew };
  // A text that is too long to begin with: there is no stream.
  await live.cancel(view.id);
  return fedProblem(tag, fed);
}

function readStream(
  item: unknown,
): { request: StreamRequest; targets: readonly TargetRequest[] } | Problem {
  if (!isFanOut(item)) {
    if (checkStream.Check(item)) return { request: item, targets: [] };
    return invalid('invalid_message', troublesOf(checkStream, item));
  }
  if (!checkStreamFanOut.Check(item)) {
    return invalid('invalid_message', troublesOf(checkStreamFanOut, item));
  }
  const { to, ...rest } = item;
  return { request: { ...rest, to: to.origin }, targets: to.observers };
}

export async function changeStream(
  options: StreamOptions,
  id: string,
  item: unknown,
): Promise<StreamView | Problem> {
  if (!checkStreamChange.Check(item)) {
    return invalid('invalid_message', troublesOf(checkStreamChange, item));
  }
  const change = readChange(item);
  if (change === null) return wrong({ path: '/', expected: '`append` or `replace`' });
  if ('path' in change) return wrong(change);
  return taken(options, await options.live.change(id, change));
}

// The final is durable when it resolves; `waitMs` is how long the caller would wait for its arrival.
export async function finishStream(
  options: StreamOptions,
  id: string,
  item: unknown,
): Promise<{ view: StreamView; waitMs: number } | Problem> {
  if (!checkStreamFinal.Check(item)) {
    return invalid('invalid_message', troublesOf(checkStreamFinal, item));
  }
  const change = readChange(item);
  if (change !== null && 'path' in change) return wrong(change);
  const waitMs = waitOf(options, item);
  if (typeof waitMs !== 'number') return waitMs;
  const view = taken(options, await options.live.final(id, change));
  return 'code' in view ? view : { view, waitMs };
}

export async function cancelStream(
  options: StreamOptions,
  id: string,
): Promise<StreamView | Problem> {
  return taken(options, await options.live.cancel(id));
}

export async function findStream(
  options: StreamOptions,
  id: string,
): Promise<StreamView | Problem> {
  return (await options.live.get(id)) ?? noStream();
}

function taken(options: StreamOptions, fed: Fed): StreamView | Problem {
  return fed.kind === 'taken' ? fed.view : fedProblem(options.tag, fed);
}

function readChange(item: { append?: string; replace?: string }): StreamChange | Trouble | null {
  const { append, replace } = item;
  if (append !== undefined && replace !== undefined) {
    return { path: '/', expected: '`append` or `replace`, not both' };
  }
  if (append !== undefined) return { kind: 'append', text: append };
  return replace === undefined ? null : { kind: 'replace', text: replace };
}

function wrong(trouble: Trouble): Problem {
  return invalid('invalid_message', [trouble]);
}
