// Coordination as a simulated process reaches it: answers and messages come when it runs.

import type { SimulatedProcess } from '../system/simulated-process.ts';
import type { Coordination } from './coordination.ts';

export function reachedBy(process: SimulatedProcess, outside: Coordination): Coordination {
  return {
    join: (node, ttlMs) => process.via(outside.join(node, ttlMs)),
    leave: () => process.via(outside.leave()),
    members: () => process.via(outside.members()),
    claim: (lease) => process.via(outside.claim(lease)),
    release: (lease) => process.via(outside.release(lease)),
    publish: (topic, message) => process.via(outside.publish(topic, message)),
    subscribe: (topic, listener) =>
      outside.subscribe(topic, (message) => process.whenRunning(() => listener(message))),
    close: () => outside.close(),
  };
}
