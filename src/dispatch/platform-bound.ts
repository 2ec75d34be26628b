// The bound over all accounts of a platform, beside each account's own: so many deliveries may wait in them together.
// What is still being written counts there too, so that a burst cannot slip through while the disk is busy.

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
  const refuse = (full: Full) => {
    parts.onFull(full);
    return full;
  };
  return (delivery) => {
    const { platform, account } = delivery;
    const waiting = scheduler.liveOf(platform);
    if (waiting >= queueMax) {
      return Promise.resolve(refuse({ kind: 'full', waiting, queueMax, platform, account }));
    }
    return parts
      .submit(delivery)
      .then((appended) =>
        appended.kind === 'full' ? refuse({ ...appended, platform: null, account }) : appended,
      );
  };
}
