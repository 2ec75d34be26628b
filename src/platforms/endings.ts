// How a delivery ended that has no answer of the platform's to show: a status of HTTP, and words for whoever waited.
// None is a 5xx where it may have arrived: clients repeat those on their own.

import type { DeliveryEnding } from './dialect.ts';

export function unshown({ state, detail, reason }: DeliveryEnding): readonly [number, string] {
  switch (state) {
    case 'expired':
      return [408, 'its time to live ran out before it could go'];
    case 'cancelled':
      return [410, 'the delivery was cancelled'];
    case 'uncertain':
      return [409, 'the answer was lost, it may have been delivered'];
    case 'superseded':
      return [409, 'a newer text took its place'];
    default:
      return [502, detail ?? reason ?? 'failed'];
  }
}
