// Periodic work that fails, as log lines: the first failure, then each time that they have doubled in number, and one
// line when it succeeds again. A night without the database must not fill the log.

import type { JobEvent } from '../../system/periodic.ts';
import type { LineLog } from './line-log.ts';

export function periodicLog(log: Pick<LineLog, 'info' | 'warn'>): (event: JobEvent) => void {
  return (event) => {
    if (event.kind === 'recovered') {
      const { job, failures } = event;
      log.info({ job, failures }, 'periodic work succeeds again');
    } else if (Number.isInteger(Math.log2(event.failuresInARow))) {
      const { job, failuresInARow, error } = event;
      log.warn({ job, failuresInARow, err: error }, 'periodic work failed; trying again');
    }
  };
}
