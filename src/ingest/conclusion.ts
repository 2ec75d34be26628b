// What the end of a look makes of its source: a success, a failure that is tried again later, or a dead source. Pure.

import type { Failure, Progress } from './progress.ts';
import type { LookEnd } from './run.ts';
import { FAILED_AGE_MS_MIN, FAILED_LOOKS_MAX } from './settings.ts';

// A success that tells nothing new is written so often, and not after every look.
const SUCCESS_SAVED_EVERY_MS = 600_000;

export interface Conclusion {
  readonly progress: Progress;
  readonly isDead: boolean;
  readonly isSaved: boolean;
}

export function conclusionOf(progress: Progress, end: LookEnd, now: number): Conclusion {
  switch (end.kind) {
    case 'done': {
      if (end.isMore) return { progress, isDead: false, isSaved: false };
      const { succeededAt, failure } = progress;
      const isSaved = failure !== null || now - (succeededAt ?? 0) >= SUCCESS_SAVED_EVERY_MS;
      return { progress: { ...progress, succeededAt: now, failure: null }, isDead: false, isSaved };
    }
    case 'refused':
      return { progress: { ...progress, failure: failed(progress, end, now) }, ...DEAD };
    case 'failed': {
      const failure = failed(progress, end, now);
      const isOld = now - failure.since >= FAILED_AGE_MS_MIN;
      const isDead = isOld && failure.count >= FAILED_LOOKS_MAX;
      return { progress: { ...progress, failure }, isDead, isSaved: true };
    }
    // Neither the source's fault nor a success.
    case 'wait':
    case 'logged_out':
    case 'stopped':
      return { progress, isDead: false, isSaved: false };
  }
}

const DEAD = { isDead: true, isSaved: true };

function failed(
  { failure }: Progress,
  { reason, detail }: { reason: string; detail: string },
  now: number,
): Failure {
  return { reason, detail, since: failure?.since ?? now, count: (failure?.count ?? 0) + 1 };
}
