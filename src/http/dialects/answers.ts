// What the gateway itself says to callers of a dialect: in the platform's words, with Sluice's code beside them.

import { identityProblem, retryAfterOf } from '../../accept/problems.ts';
import { type ErrorCode, type Problem, problem } from '../../domain/errors.ts';
import type { Dialect, Passage, Platform, ValueAnswer } from '../../platforms/platform.ts';
import { withHeaders } from '../edge.ts';
import type { FoundSpeaker, Speaker } from './caller.ts';

// One whose own API the gateway serves.
export interface ServedPlatform extends Platform {
  readonly dialect: Dialect;
  readonly passage: Passage;
}

const STOPPING = 'The gateway is stopping, and nothing of this call is queued: repeat it.';

export function answerProblem(dialect: Dialect, refusal: Problem): ValueAnswer {
  const said = dialect.problem(refusal, retryAfterOf(refusal));
  return withHeaders(said, { 'x-sluice-error': refusal.code });
}

export function answerTooLarge(dialect: Dialect): ValueAnswer {
  const code: ErrorCode = 'too_large';
  return withHeaders(dialect.tooLarge(), { 'x-sluice-error': code });
}

export function answerNotFound(dialect: Dialect): ValueAnswer {
  return dialect.refused(404, 'Not Found');
}

export function answerUnauthorized(dialect: Dialect): ValueAnswer {
  return dialect.refused(401, 'Unauthorized');
}

// Nothing of the call is queued: whoever repeats it makes the only one there is.
export function answerStopping(dialect: Dialect): ValueAnswer {
  const said = answerProblem(dialect, problem('shutting_down', STOPPING));
  return withHeaders(said, { connection: 'close' });
}

export function answerUnknown(
  dialect: Dialect,
  found: Exclude<FoundSpeaker, Speaker>,
): ValueAnswer {
  if (found.kind === 'wrong') return answerUnauthorized(dialect);
  if (found.kind === 'refused') return dialect.refused(found.status, found.detail);
  return answerProblem(dialect, identityProblem(found));
}
