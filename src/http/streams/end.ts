// Why a text that came in one piece of work, over HTTP or from a program, did not end as its producer meant it to.

import { type Problem, problem } from '../../domain/errors.ts';
import type { StreamView } from '../../streams/streams.ts';
import { unreachable } from '../../system/assert.ts';
import type { BodyEnd } from './body.ts';
import { endedProblem, noRoom, noStream, showStream, tooLong } from './view.ts';

// `opened`: the stream as it was at its beginning, where nothing newer is known of it.
export function endProblem(
  tag: string,
  end: Exclude<BodyEnd, { kind: 'finished' }>,
  opened: StreamView,
): Problem {
  switch (end.kind) {
    case 'cut_off':
      return problem('shutting_down', '', { stream: showStream(tag, end.view) });
    case 'unknown_shape':
      return problem('unknown_stream_shape', end.detail, { stream: showStream(tag, end.view) });
    case 'too_long':
      return tooLong(end.unitsMax, { stream: showStream(tag, end.view) });
    case 'ended':
      return endedProblem(tag, end.view);
    case 'queue_full':
      return noRoom(end.queueMax, { stream: showStream(tag, opened) });
    case 'unknown':
      return noStream();
    default:
      return unreachable(end);
  }
}
