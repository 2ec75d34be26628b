// What it means to delivery that no answer came: the same for every platform that is called over HTTP.

import type { Outcome } from '../../domain/outcome.ts';
import { lineInWords } from '../../system/http/http-words.ts';
import type { Reply } from '../../system/http/transport.ts';

type NoAnswer = Exclude<Reply, { kind: 'answered' }>;

// That the process stops, or that a connection took too long, says nothing of the host.
const OURS = ['shut_down', 'timeout'];

export function unanswered(reply: NoAnswer): Outcome {
  const { kind, reason } = reply;
  const detail = lineInWords(reply);
  if (kind === 'unsent') {
    return { kind: 'failed', reason: 'unsent', detail, hostDown: !OURS.includes(reason) };
  }
  const lost = reason === 'timeout' ? 'answer_timeout' : 'answer_lost';
  return { kind: 'uncertain', reason: lost, detail };
}
