// One life of the engine, from opening to crash. When it ends, its clock and its wire end with it: nothing
// that the dead one had planned may still happen, while what it had already sent goes on without it.

import type { Clock } from '../../system/clock.ts';
import type { Transport } from '../../system/http/transport.ts';

export interface Incarnation {
  readonly clock: Clock;
  readonly transport: Transport;
  end(): void;
}

export function incarnate(clock: Clock, wire: Transport): Incarnation {
  let isOver = false;
  return {
    clock: {
      now: clock.now,
      schedule: (at, run) =>
        clock.schedule(at, () => {
          if (!isOver) run();
        }),
    },
    transport: {
      request: (request) =>
        new Promise((resolve) => {
          if (isOver) return;
          void wire.request(request).then((reply) => {
            if (!isOver) resolve(reply);
          });
        }),
      stream: (request, hangUp) => wire.stream(request, hangUp),
      close: () => Promise.resolve(),
    },
    end() {
      isOver = true;
    },
  };
}
