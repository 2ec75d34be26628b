// Takes back from the road what still waits there, so that its recipients may be fed again. What is being sent cannot
// be taken back, nor what may have been sent already: it goes on to its end.

import { type Delivery, WITHDRAWN } from '../domain/delivery.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import { PARTLY_SENT } from '../domain/outcome.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Road } from '../road/road.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { Clock } from '../system/clock.ts';

export interface WithdrawalParts {
  readonly clock: Clock;
  readonly road: Pick<Road, 'move'>;
  readonly ledger: Pick<Ledger, 'getMany'>;
  // Told of each that was taken back: of one that was about to leave the road tells nobody.
  readonly withdrawn: (seq: number) => void;
  readonly log: { warn(fields: object, message: string): void };
}

const TOGETHER_MAX = 100;
const MOVE = { reason: WITHDRAWN, by: 'sluice', body: null, queueMax: 0 } as const;

// Nothing of it can have reached its chat.
export function canTakeBack({ doubts, cures }: Pick<Delivery, 'doubts' | 'cures'>): boolean {
  return doubts === 0 && !cures.some((cure) => PARTLY_SENT.includes(cure));
}

// One that came back into the queue after a try.
export async function withdrawUntouched(
  parts: WithdrawalParts,
  account: AccountId,
  seq: number,
): Promise<void> {
  try {
    const [record] = await parts.ledger.getMany([seq]);
    if (record !== undefined && canTakeBack(record)) {
      await withdraw(parts, account, [seq]);
    }
  } catch (error) {
    // The next comparison with the ledger finds it again.
    parts.log.warn(
      { err: error, platform: platformOf(account), account },
      'could not withdraw the queued messages of a broadcast; trying again',
    );
  }
}

export async function withdraw(
  { road, clock, log, withdrawn }: WithdrawalParts,
  account: AccountId,
  seqs: readonly number[],
): Promise<void> {
  for (let from = 0; from < seqs.length; from += TOGETHER_MAX) {
    const some = seqs.slice(from, from + TOGETHER_MAX);
    const order = { account, to: 'cancelled', at: clock.now(), ...MOVE } as const;
    const moves = some.map((seq) => road.move({ ...order, seq }));
    for (const [i, moved] of (await Promise.allSettled(moves)).entries()) {
      if (moved.status === 'fulfilled') {
        if (moved.value.kind === 'moved') withdrawn(some[i]!);
        continue;
      }
      if (!(moved.reason instanceof JournalUnavailable)) throw moved.reason;
      log.warn(
        { err: moved.reason, platform: platformOf(account), account },
        'could not withdraw the queued messages of a broadcast; trying again',
      );
    }
  }
}
