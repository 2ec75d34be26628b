// The bounds of the queue that are kept here, beside the count of deliveries per account that the store keeps: bytes
// per account, bytes in all, deliveries of all accounts of a platform. What is still being written counts too, so that
// a burst cannot slip through while the disk is busy. Accounts that nobody has configured have a part of what is
// shared, and none of them may hold more bytes than are still free for them: one of them cannot shut out the others,
// nor all of them together a configured one.

import { platformOf } from '../../domain/account-id.ts';
import { bytesOf, type NewDelivery } from '../../domain/delivery.ts';
import type { AccountLoad } from '../../scheduler/scheduler.ts';
import type { Appended, QueueFull } from '../../store/ports/delivery.ts';
import { STRANGERS_SHARE } from '../../system/shares.ts';

export type Full = QueueFull & { readonly kind: 'full'; readonly account: string };

export interface QueueBounds {
  readonly platformQueueMax: number;
  readonly queueBytesTotalMax: number;
}

export interface BoundParts extends QueueBounds {
  readonly loadOf: (account: string) => AccountLoad;
  readonly queueBytesMaxOf: (account: string) => number;
  readonly onFull: (full: Full) => void;
}

type Submit = (delivery: NewDelivery) => Promise<Appended>;

export function boundSubmit(parts: BoundParts, submit: Submit): Submit {
  const refuse = (full: Full) => {
    parts.onFull(full);
    return full;
  };
  return (delivery) => {
    const { account } = delivery;
    const full = fullFor(parts, account, bytesOf(delivery.body));
    if (full !== null) return Promise.resolve(refuse({ kind: 'full', ...full, account }));
    return submit(delivery).then((appended) =>
      appended.kind === 'full' ? refuse({ ...appended, account }) : appended,
    );
  };
}

// Why so much more of the account cannot be taken; null: it can.
export function fullFor(parts: BoundParts, account: string, bytes: number): QueueFull | null {
  const load = parts.loadOf(account);
  const bytesMax = parts.queueBytesMaxOf(account);
  if (load.bytes + bytes > bytesMax) {
    return { unit: 'bytes', waiting: load.bytes, queueMax: bytesMax };
  }
  const { platformQueueMax, queueBytesTotalMax } = parts;
  const { deliveries } = load.platform;
  if (deliveries >= platformQueueMax) {
    return { waiting: deliveries, queueMax: platformQueueMax, platform: platformOf(account) };
  }
  if (load.all.bytes + bytes > queueBytesTotalMax) {
    return { unit: 'bytes', waiting: load.all.bytes, queueMax: queueBytesTotalMax, whose: 'all' };
  }
  return load.isStranger ? fullForStranger(parts, load, account, bytes) : null;
}

function fullForStranger(
  { platformQueueMax, queueBytesTotalMax }: BoundParts,
  load: AccountLoad,
  account: string,
  bytes: number,
): QueueFull | null {
  const whose = 'unconfigured';
  const { deliveries } = load.platform.strangers;
  const queueMax = Math.ceil(platformQueueMax * STRANGERS_SHARE);
  if (deliveries >= queueMax) {
    return { waiting: deliveries, queueMax, platform: platformOf(account), whose };
  }
  const bytesMax = Math.ceil(queueBytesTotalMax * STRANGERS_SHARE);
  const waiting = load.all.strangers.bytes;
  if (load.bytes + bytes > bytesMax - waiting) {
    return { unit: 'bytes', waiting, queueMax: bytesMax, whose };
  }
  return null;
}
