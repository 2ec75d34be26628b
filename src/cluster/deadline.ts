// A call that others answer, bounded: at the deadline it is given up, whatever becomes of it.

import type { Clock } from '../system/clock.ts';
import { CoordinationUnavailable } from './coordination.ts';

// Rejects with CoordinationUnavailable alone. The causes are left out on purpose: drivers hang what they sent on their
// errors, passwords included.
export async function within<T>(
  clock: Clock,
  where: string,
  msMax: number,
  call: () => Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = clock.schedule(clock.now() + msMax, () => {
    late.reject(new CoordinationUnavailable(`${where} did not answer within ${msMax} ms`));
  });
  try {
    return await Promise.race([call(), late.promise]);
  } catch (error) {
    if (error instanceof CoordinationUnavailable) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CoordinationUnavailable(`${where} cannot be reached: ${message}`);
  } finally {
    timer.cancel();
  }
}
