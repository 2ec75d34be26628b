// Streams that go on: after a start all of them, of a fleet those of the accounts that this node has.

import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { StoredStream, StreamStore } from '../store/ports/streams.ts';
import type { Clock } from '../system/clock.ts';
import { ignoreStore } from './finish.ts';
import { streamOf } from './record.ts';
import type { Stream } from './stream-state.ts';

export interface TakingParts {
  readonly journal: { readonly streams: StreamStore };
  readonly clock: Clock;
  readonly report: ReportFault;
  readonly owns?: (account: AccountId) => boolean;
  readonly isKnown: (id: string) => boolean;
  readonly isStopped: () => boolean;
  readonly takeUp: (stream: Stream) => void;
}

const TAKEN_TOGETHER = 100;

export async function takeUpStreams(parts: TakingParts): Promise<void> {
  const { journal, owns = () => true, isKnown, isStopped } = parts;
  for (let after = ''; !isStopped(); ) {
    const page = await journal.streams.open({ after, max: TAKEN_TOGETHER });
    for (const stored of page) {
      if (owns(stored.account) && !isKnown(stored.id)) await takeUp(parts, stored);
    }
    if (page.length < TAKEN_TOGETHER) return;
    after = page.at(-1)!.id;
  }
}

// What cannot be read, or not be shown any more, is ended: it must not stop this start, nor the next.
async function takeUp(parts: TakingParts, stored: StoredStream): Promise<void> {
  const stream = streamOf(stored);
  if (stream !== null) {
    parts.takeUp(stream);
    return;
  }
  const error = new TypeError('the record of a stream cannot be read');
  parts.report('recovery', error, { stream: stored.id });
  const ended = { ...stored, endedAt: parts.clock.now() };
  await parts.journal.streams.save(ended).catch(ignoreStore);
}
