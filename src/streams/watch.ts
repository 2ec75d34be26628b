// What the clock asks of an open stream: its producer is silent for too long, its draft is about to vanish, or the
// sign that somebody is typing is.

import type { Stream } from './stream-state.ts';

// A draft is gone after 30 s.
const DRAFT_KEPT_MS = 20_000;
// So long a typing sign is seen.
const TYPED_MS = 5000;

export function dueAt(stream: Stream, now: number): 'end' | 'draft' | 'type' | null {
  const { asked, fedAt, draftDigest, draftedAt, transport, typedAt } = stream;
  if (now - fedAt >= asked.idleMs) return 'end';
  if (draftDigest !== null && now - draftedAt >= DRAFT_KEPT_MS) return 'draft';
  const isAtWork = now - fedAt < TYPED_MS;
  return transport === 'chunks' && isAtWork && now - typedAt >= TYPED_MS ? 'type' : null;
}
