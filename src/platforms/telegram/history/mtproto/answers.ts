// What came of a call over MTProto, in the words of the port.

import { MtTimeoutError, tl } from '@mtcute/core';
import type { Read } from '../../../history.ts';

// All that is no answer.
export type NotRead = Exclude<Read<never>, { readonly kind: 'read' }>;

// There is nothing to read with: someone has to log in.
export class NoSession extends Error {
  override readonly name = 'NoSession';
}

// The library's own word for a call that it gave up.
const GIVEN_UP = 'TIMEOUT';

const REASONS: Readonly<Record<string, string>> = {
  USERNAME_INVALID: 'no_such_channel',
  USERNAME_NOT_OCCUPIED: 'no_such_channel',
  CHANNEL_INVALID: 'no_such_channel',
  CHANNEL_PRIVATE: 'private',
  CHANNEL_PUBLIC_GROUP_NA: 'private',
  CHAT_FORBIDDEN: 'private',
};

// `isConnected`: whether there was a connection when it failed.
export function notRead(error: unknown, isConnected: boolean): NotRead {
  if (error instanceof tl.RpcError) return ofPlatform(error, isConnected);
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof NoSession) return { kind: 'logged_out', detail };
  if (error instanceof MtTimeoutError) return gaveUp(detail, isConnected);
  return { kind: 'failed', reason: isConnected ? 'network' : 'connection', detail };
}

function ofPlatform(error: tl.RpcError, isConnected: boolean): NotRead {
  const { code, text } = error;
  const waitS = secondsOf(error);
  if (waitS !== null) return { kind: 'wait', waitMs: waitS * 1000 };
  if (text === GIVEN_UP) return gaveUp('no answer in time', isConnected);
  if (code === 401 || text.startsWith('AUTH_KEY_')) return { kind: 'logged_out', detail: text };
  if (code >= 500 || code <= 0 || code === 420 || code === 303) {
    return { kind: 'failed', reason: 'server', detail: text };
  }
  return { kind: 'refused', reason: REASONS[text] ?? 'rejected', detail: text };
}

// FLOOD_WAIT_%d and its kin; null: it names no time.
function secondsOf(error: tl.RpcError): number | null {
  if (error.code !== 420) return null;
  const given = 'seconds' in error ? error.seconds : /_(\d+)$/.exec(error.text)?.[1];
  const seconds = Number(given ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

function gaveUp(detail: string, isConnected: boolean): NotRead {
  return { kind: 'failed', reason: isConnected ? 'timeout' : 'connection', detail };
}
