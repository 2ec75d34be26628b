// The bound over all accounts of a platform, beside each account's own: so many deliveries may wait in them together.
// What is still being written counts too, so that a burst cannot slip through while the disk is busy.

import type { NewDelivery } from '../domain/delivery.ts';
import type { Appended } from '../journal/journal.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

export type Full = Extract<Appended, { kind: 'full' }> & {
  readonly account: string;
  // The platform whose queue is full; null: the account's own is.
  readonly platform: string | null;
};

export interface BoundParts {
  readonly scheduler: Pick<Scheduler, 'liveOf'>;
  readonly queueMax: number;
  readonly submit: (delivery: NewDelivery) => Promise<Appended>;
  readonly onFull: (full: Full) => void;
}

export function boundPlatforms(parts: BoundParts): (delivery: NewDelivery) => Promise<Appended> {
  const { scheduler, queueMax } = parts;
  const writing = new Map<string, number>();
  const refuse = (full: Full) => {
    parts.onFull(full);
    return full;
  };
  return async (delivery) => {
    const { platform, account } = delivery;
    const live = scheduler.liveOf(platform);
    const waiting = live + (writing.get(platform) ?? 0);
    if (waiting >= queueMax) return refuse({ kind: 'full', waiting, queueMax, platform, account });
    const appending = parts.submit(delivery);
    // What goes at once has taken its room already.
    const counted = scheduler.liveOf(platform) === live;
    if (counted) writing.set(platform, (writing.get(platform) ?? 0) + 1);
    try {
      const appended = await appending;
      return appended.kind === 'full' ? refuse({ ...appended, platform: null, account }) : appended;
    } finally {
      if (counted) writing.set(platform, writing.get(platform)! - 1);
    }
  };
}
