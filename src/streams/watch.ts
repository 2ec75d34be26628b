// What the clock asks of an open stream: its producer is silent for too long, its draft is about to vanish, or the
// sign that somebody is typing is.

import type { Stream } from './stream-state.ts';
import type { FollowedStream } from './streams.ts';

// A draft is gone after 30 s.
const DRAFT_KEPT_MS = 20_000;
// So long a typing sign is seen.
const TYPED_MS = 5000;

// One that follows another is kept alive as long as that is open, by looks that take their time.
const FOLLOWING_MS_MIN = 5000;

export function idleMsOf(stream: { idleMs: number; follows?: FollowedStream | null }): number {
  const { idleMs, follows = null } = stream;
  return follows === null ? idleMs : Math.max(idleMs, FOLLOWING_MS_MIN);
}

export function dueAt(stream: Stream, now: number): 'end' | 'draft' | 'type' | null {
  const { asked, fedAt, draftDigest, draftedAt, transport, typedAt } = stream;
  if (now - fedAt >= idleMsOf(asked)) return 'end';
  if (draftDigest !== null && now - draftedAt >= DRAFT_KEPT_MS) return 'draft';
  const isAtWork = now - fedAt < TYPED_MS;
  return transport === 'chunks' && isAtWork && now - typedAt >= TYPED_MS ? 'type' : null;
}
