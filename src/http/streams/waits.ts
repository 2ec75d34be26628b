// Callers who wait until a text has arrived. Bounded in time, as streams are in number; a caller who hangs up, or a
// gateway that stops, ends the waiting and never the stream.

import type { Caller } from '../../accept/callers.ts';
import type { Live, StreamView } from '../../streams/streams.ts';
import type { Clock } from '../../system/clock.ts';

export class StreamWaits {
  readonly #live: Live;
  readonly #clock: Clock;
  readonly #waits = new Set<AbortController>();
  #isStopping = false;

  constructor(live: Live, clock: Clock) {
    this.#live = live;
    this.#clock = clock;
  }

  // How it stands when it has arrived (or will not), the time is over, the caller has left or we stop.
  async ended(id: string, ms: number, caller: Caller): Promise<StreamView | null> {
    const wait = new AbortController();
    const leave = () => wait.abort();
    const timer = this.#clock.schedule(this.#clock.now() + ms, leave);
    this.#waits.add(wait);
    caller.once('close', leave);
    if (this.#isStopping || caller.destroyed === true) leave();
    try {
      return (await this.#live.ended(id, wait.signal)) ?? (await this.#live.get(id));
    } catch (error) {
      if (!wait.signal.aborted) throw error;
      return await this.#live.get(id);
    } finally {
      timer.cancel();
      caller.off('close', leave);
      this.#waits.delete(wait);
    }
  }

  stop(): void {
    this.#isStopping = true;
    for (const wait of this.#waits) wait.abort();
  }
}
