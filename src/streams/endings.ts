// How streams end: a final has right of way in its chat until it has come to its end, whether it was asked
// for now or promised by a process that is gone.

import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { isOver } from './end-of.ts';
import { type FinalPorts, type Finished, finish, follow, placeAll } from './finish.ts';
import type { ChatPacers } from './pacing/pacing.ts';
import type { Stream } from './stream-state.ts';
import type { StreamChange } from './streams.ts';

export class Endings {
  readonly #p: FinalPorts;
  readonly #pacers: ChatPacers;
  readonly #closed: (stream: Stream) => void;
  readonly #broken: (stream: Stream, error: unknown) => void;

  constructor(
    ports: FinalPorts,
    pacers: ChatPacers,
    closed: (stream: Stream) => void,
    broken: (stream: Stream, error: unknown) => void,
  ) {
    this.#p = ports;
    this.#pacers = pacers;
    this.#closed = closed;
    this.#broken = broken;
  }

  async finish(
    stream: Stream,
    change: StreamChange | null,
    reason: string | null,
  ): Promise<Finished> {
    this.#pacers.outputOf(stream).finalWaits(stream);
    try {
      const finished = await finish(this.#p, stream, change, reason);
      if (finished.kind === 'full') this.#reopened(stream);
      else void this.#follow(stream).catch((error) => this.#broken(stream, error));
      return finished;
    } catch (error) {
      this.#reopened(stream);
      throw error;
    }
  }

  // Its final was promised; which of its deliveries are on disk is not known.
  resume(stream: Stream): Promise<void> {
    return this.#resume(stream).catch((error) => this.#broken(stream, error));
  }

  async #resume(stream: Stream): Promise<void> {
    this.#pacers.outputOf(stream).finalWaits(stream);
    if (stream.finals.length > 0 || (await this.#placeAgain(stream))) return this.#follow(stream);
    // Not now: the watchdog will, at its next look.
    stream.state = 'open';
    stream.fedAt = Number.NEGATIVE_INFINITY;
    this.#pacers.outputOf(stream).finalEnded(stream);
  }

  async #placeAgain(stream: Stream): Promise<boolean> {
    try {
      return (await placeAll(this.#p, stream)).kind === 'finished';
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return false;
    }
  }

  async #follow(stream: Stream): Promise<void> {
    await follow(this.#p, stream);
    if (isOver(this.#p, stream)) return;
    this.#pacers.outputOf(stream).finalEnded(stream);
    this.#closed(stream);
  }

  #reopened(stream: Stream): void {
    if (stream.isLeft) return;
    stream.staleSince ??= this.#p.clock.now();
    this.#pacers.outputOf(stream).finalEnded(stream);
    this.#pacers.want(stream);
  }
}
