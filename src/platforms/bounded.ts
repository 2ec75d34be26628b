// A platform whose promises all settle: each call has its deadline from outside the platform's own code. A call that a
// platform forgets would hold its chat, its place among the calls in flight and its caller for ever.
// One timer looks after all of them, so that a call costs no timer of its own.
// And whose limits always answer: when they throw, its calls go on at a careful pace, rather than stopping everyone or
// going without any limit.

import type { ReportFault } from '../domain/fault.ts';
import type { Plan, Priors, Rule } from '../limits/limits.ts';
import type { Clock, Timer } from '../system/clock.ts';
import type { StreamedReply } from '../system/http/transport.ts';
import type { Identified, Passage, Platform, Wire } from './platform.ts';

// The platform keeps its own deadline, and says more when it does: so much longer it is left alone.
export const GRACE_MS = 5000;
export const IDENTIFY_MS_MAX = 60_000;
const LOOK_EVERY_MS = 1000;
const EACH_CHAT: Rule = { name: 'careful_chat', scope: 'chat', count: 1, perMs: 1000 };
const EACH_ACCOUNT: Rule = { name: 'careful_account', scope: 'account', count: 1, perMs: 1000 };
const CAREFUL: Plan = Object.freeze({ account: [EACH_ACCOUNT], chat: [EACH_CHAT] });

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor() {
    super('the platform did not settle its call within the deadline');
  }
}

export interface BoundedOptions {
  readonly clock: Clock;
  readonly report: ReportFault;
}

export function bounded(platform: Platform, { clock, report }: BoundedOptions): Platform {
  const calls = new OpenCalls(clock);
  const { name, wire, passage, troubles } = platform;
  const failed = (error: unknown) => report('call', error, { platform: name });
  return {
    ...platform,
    wire: boundedWire(wire, calls, failed),
    ...(passage === undefined ? null : { passage: boundedPassage(passage, calls) }),
    ...(troubles === undefined
      ? null
      : { troubles: guarded(() => troubles.call(platform), failed) }),
  };
}

// An exception in it must not hide the troubles of others.
function guarded<T>(read: () => readonly T[], failed: (error: unknown) => void) {
  return () => {
    try {
      return read();
    } catch (error) {
      failed(error);
      return [];
    }
  };
}

function boundedWire(wire: Wire, calls: OpenCalls, failed: (error: unknown) => void): Wire {
  const { timeAt } = wire;
  return {
    ...wire,
    send: (call) => calls.settled(call.deadlineMs, () => wire.send(call)),
    async identify(credential): Promise<Identified> {
      try {
        return await calls.settled(IDENTIFY_MS_MAX, () => wire.identify(credential));
      } catch (error) {
        failed(error);
        return { kind: 'unreachable', detail: 'the platform could not be asked' };
      }
    },
    ...(timeAt === undefined
      ? null
      : {
          async timeAt(credential: string) {
            try {
              return await calls.settled(IDENTIFY_MS_MAX, () => timeAt.call(wire, credential));
            } catch (error) {
              failed(error);
              return null;
            }
          },
        }),
    async close() {
      try {
        if (wire.close !== undefined) await calls.settled(0, () => wire.close!());
      } catch (error) {
        failed(error);
      }
      calls.cut();
    },
  };
}

function boundedPassage(passage: Passage, calls: OpenCalls): Passage {
  const hungUp = (hangUp: AbortSignal, made: () => Promise<StreamedReply>, deadlineMs: number) =>
    calls.settled(deadlineMs, made, hangUp);
  return {
    pass: (call, hangUp) => hungUp(hangUp, () => passage.pass(call, hangUp), call.deadlineMs),
    download: (file, hangUp) =>
      hungUp(hangUp, () => passage.download(file, hangUp), file.deadlineMs),
  };
}

interface Open {
  readonly until: number;
  readonly hangUp: AbortSignal | null;
  readonly reject: (error: Error) => void;
}

class OpenCalls {
  readonly #clock: Clock;
  readonly #open = new Set<Open>();
  #timer: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  // As `make` settles, or NoAnswer some time after the deadline or the hanging up.
  settled<T>(
    deadlineMs: number,
    make: () => Promise<T>,
    hangUp: AbortSignal | null = null,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const open: Open = { until: this.#clock.now() + deadlineMs + GRACE_MS, hangUp, reject };
      make().then(
        (value) => {
          this.#open.delete(open);
          resolve(value);
        },
        (error) => {
          this.#open.delete(open);
          reject(error);
        },
      );
      this.#open.add(open);
      this.#timer ??= this.#look();
    });
  }

  // Whatever is still out has ended.
  cut(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (const { reject } of this.#open) reject(new NoAnswer());
    this.#open.clear();
  }

  #look(): Timer {
    const { now } = this.#clock;
    return this.#clock.schedule(now() + LOOK_EVERY_MS, () => {
      const at = now();
      for (const open of this.#open) {
        if (open.until > at && open.hangUp?.aborted !== true) continue;
        this.#open.delete(open);
        open.reject(new NoAnswer());
      }
      this.#timer = this.#open.size === 0 ? null : this.#look();
    });
  }
}

// Asked for every decision of the loop.
export function safePriors(priors: Priors, report: (error: unknown) => void): Priors {
  return {
    ...priors,
    planOf(charge) {
      try {
        return priors.planOf(charge);
      } catch (error) {
        report(error);
        return CAREFUL;
      }
    },
  };
}
