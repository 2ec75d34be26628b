// Fills an audience from a list as it arrives. All or nothing: after the first line that cannot be read nothing more is
// written, and the caller drops what was; the rest is still read, so that all bad lines are counted.

import type { Readable } from 'node:stream';
import type { AudienceDraft, BadLine, RequestReading } from '../../broadcast/broadcast.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import type { ListFormat } from '../../domain/recipient-list.ts';

const BAD_SHOWN_MAX = 20;

// null: everyone is in it, durably.
export async function fillFrom(
  reading: RequestReading,
  draft: AudienceDraft,
  source: Readable,
  format: ListFormat,
): Promise<Problem | null> {
  const shown: BadLine[] = [];
  let bad = 0;
  try {
    for await (const piece of reading.list(source, format)) {
      bad += piece.bad.length;
      shown.push(...piece.bad.slice(0, BAD_SHOWN_MAX - shown.length));
      if (bad > 0) continue;
      if ((await draft.add(piece.members)) === 'too_many') {
        source.resume();
        return problem('too_many_recipients', '');
      }
    }
  } catch (error) {
    if (source.readableAborted || source.errored !== null) {
      return problem('invalid_recipients', 'The list broke off before its end.');
    }
    throw error;
  }
  if (bad > 0) return badLines(shown, bad);
  await draft.filled();
  return draft.count === 0 ? problem('invalid_recipients', 'There is nobody in the list.') : null;
}

export function badLines(shown: readonly BadLine[], bad: number): Problem {
  const [first] = shown;
  const detail = `${bad} of its lines cannot be read; line ${first!.line}: expected ${first!.expected}.`;
  const problems = shown.map(({ line, expected }) => ({ path: `line ${line}`, expected }));
  return problem('invalid_recipients', detail, { bad, problems });
}
