// An answer handed on while it arrives: downloads, long polls, reads of any size. Nothing is kept here; a
// reader that is slow slows the sender down, a reader that leaves ends the request.

import type { Dispatcher } from 'undici';
import { explain, flatten } from './http-words.ts';
import type { HttpRequest, StreamedReply } from './transport.ts';

export async function streamOver(
  dispatcher: Dispatcher,
  prefix: string,
  request: HttpRequest,
  hangUp: AbortSignal,
): Promise<StreamedReply> {
  const { method, headers, body, deadlineMs } = request;
  try {
    const answer = await dispatcher.request({
      path: prefix + request.path,
      method,
      headers,
      body,
      signal: hangUp,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
    // The reader may not listen yet when the line breaks.
    answer.body.on('error', () => {});
    const status = answer.statusCode;
    return { kind: 'answered', status, headers: flatten(answer.headers), body: answer.body };
  } catch (error) {
    const { reason, detail } = explain(error instanceof Error ? error : new Error(String(error)));
    // The path holds a token: whatever an error's text may quote, it does not go on from here.
    const safe = detail.replaceAll(request.path, '<path>');
    return { kind: NEVER_SENT.includes(reason) ? 'unsent' : 'lost', reason, detail: safe };
  }
}

const NEVER_SENT = ['refused', 'unreachable', 'dns', 'connect_timeout', 'tls'];
