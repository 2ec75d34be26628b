// Files of posts that lie at public addresses. The address is what a stranger has written: it must be https and public.

import type { PublicFiles } from '../../system/http/public-files.ts';
import type { MediaPiece, Read } from '../history.ts';

// Of a file at a time. Where the server has no pieces it is all there may be.
const PIECE_BYTES = 4_194_304;
// A 429 without a word of how long.
const WAIT_MS_DEFAULT = 60_000;

export async function readPublicPart(
  reference: string,
  offset: number,
  files: PublicFiles,
): Promise<Read<MediaPiece>> {
  if (!URL.canParse(reference) || new URL(reference).protocol !== 'https:') {
    return { kind: 'refused', reason: 'no_file', detail: 'the post has no safe address for it' };
  }
  const part = await files.get(reference, { offset, bytesMax: PIECE_BYTES });
  switch (part.kind) {
    case 'part':
      return { kind: 'read', value: part };
    case 'failed':
      return {
        kind: 'failed',
        reason: part.reason.endsWith('timeout') ? 'timeout' : 'connection',
        detail: part.detail,
      };
    case 'refused':
      if (part.status === 429) return { kind: 'wait', waitMs: WAIT_MS_DEFAULT };
      if (part.status !== null && part.status >= 500) {
        return { kind: 'failed', reason: 'server', detail: part.detail };
      }
      return { kind: 'refused', reason: 'no_file', detail: part.detail };
  }
}
