// Streams that go on: after a start all of them, of a fleet those of the accounts that this node has.

import type { ReportFault } from '../domain/fault.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Owner } from '../store/ports/ownership.ts';
import type { StoredStream, StreamStore } from '../store/ports/streams.ts';
import type { Clock } from '../system/clock.ts';
import { ignoreStore } from './finish.ts';
import { streamOf } from './record.ts';
import type { Stream } from './stream-state.ts';

// As whom they are written. A stream is its account's owner's from when it was opened or taken up here, and is written
// under that epoch as long as it is here: what stood still while its account went elsewhere and came back is refused.
export interface StreamOwners {
  // This process; an account that nobody has opened yet is opened.
  of(account: AccountId): Owner | Promise<Owner>;
  // A write under it was refused: another process has the account.
  lost(owner: Owner): void;
}

export interface TakingParts {
  readonly journal: { readonly streams: StreamStore };
  readonly clock: Clock;
  readonly report: ReportFault;
  readonly owns?: (account: AccountId) => boolean;
  readonly owners: Pick<StreamOwners, 'of'>;
  // Under that epoch.
  readonly isKnown: (id: string, epoch: number) => boolean;
  readonly isStopped: () => boolean;
  readonly takeUp: (stream: Stream) => void;
}

const TAKEN_TOGETHER = 100;

export async function takeUpStreams(parts: TakingParts): Promise<void> {
  const { journal, owners, owns = () => true, isKnown, isStopped } = parts;
  for (let after = ''; !isStopped(); ) {
    const page = await journal.streams.open({ after, max: TAKEN_TOGETHER });
    for (const stored of page) {
      if (!owns(stored.account)) continue;
      const owner = await owners.of(stored.account);
      if (!isKnown(stored.id, owner.epoch)) await takeUp(parts, stored, owner);
    }
    if (page.length < TAKEN_TOGETHER) return;
    after = page.at(-1)!.id;
  }
}

// What cannot be read, or not be shown any more, is ended: it must not stop this start, nor the next.
async function takeUp(parts: TakingParts, stored: StoredStream, owner: Owner): Promise<void> {
  const stream = streamOf(stored);
  if (stream?.asked.account === owner.account) {
    stream.epoch = owner.epoch;
    parts.takeUp(stream);
    return;
  }
  const error = new TypeError('the record of a stream cannot be read');
  parts.report('recovery', error, { stream: stored.id });
  const ended = { ...stored, endedAt: parts.clock.now() };
  await parts.journal.streams.save(owner, ended).catch(ignoreStore);
}
