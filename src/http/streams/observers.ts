// The observers of a stream: the same request, each with its own target. Nobody waits for their platforms; one that
// cannot have its stream is told in the log, and the origin's goes on.

import { type FromHeaders, platformFor } from '../../accept/draft.ts';
import { platformNamed, withoutReply } from '../../accept/fan-out.ts';
import type { TargetRequest } from '../../accept/schema.ts';
import type { NewStream } from '../../streams/streams.ts';
import { draftStream, type StreamOptions } from './draft.ts';
import type { StreamRequest } from './schema.ts';

export function draftObserving(
  options: StreamOptions,
  request: StreamRequest,
  observers: readonly TargetRequest[],
  origin: NewStream,
  headers: FromHeaders,
): Promise<NewStream | null>[] {
  return observers.map(async (to, observer) => {
    const platform = platformNamed(options, to);
    const about = { platform, correlation: origin.correlation, observer };
    try {
      const copy = copyFor(options, request, to, origin.platform);
      const drafted = await draftStream(options, copy, { ...headers, idempotencyKey: null });
      if (drafted.kind === 'drafted') return drafted.stream;
      const { code } = drafted.problem;
      options.log.warn({ ...about, code }, 'an observer was dropped from a stream');
    } catch (error) {
      options.log.error({ err: error, ...about }, 'an observer was dropped from a stream');
    }
    return null;
  });
}

// On another platform neither its parameters nor its ways mean the same.
function copyFor(
  options: StreamOptions,
  { transport, body = {}, idempotencyKey: _, ...request }: StreamRequest,
  to: TargetRequest,
  origin: string,
): StreamRequest {
  const platform = platformFor(options, to);
  if ('code' in platform || platform.name !== origin) return { ...request, to };
  const own = transport === undefined ? {} : { transport };
  return { ...request, ...own, to, body: withoutReply(platform, platform.calls.textMethod, body) };
}
