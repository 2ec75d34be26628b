// What prom-client keeps running for the metrics of the process: an observer of garbage collections and a watch on the
// event loop. It cannot be stopped there, so its like is made here, which can.

import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { Histogram, Registry } from 'prom-client';

const RESOLUTION_MS = 10;

export interface ProcessWatch {
  // How many collections it was told of.
  stop(): number;
}

export function watchProcess(): ProcessWatch {
  let collections = 0;
  const seconds = new Histogram({
    ...{ name: 'gc_seconds', help: 'Time of garbage collections.', labelNames: ['kind'] },
    registers: [new Registry()],
  });
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      collections += 1;
      seconds.observe({ kind: 'any' }, duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    stop() {
      observer.disconnect();
      delay.disable();
      return collections;
    },
  };
}
