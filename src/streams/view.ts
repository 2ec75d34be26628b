// A stream as it is told to the outside, at each change to those who listen, and in words what it waits for.

import type { ReportFault } from '../domain/fault.ts';
import type { AskedRoad } from '../road/road.ts';
import type { Clock } from '../system/clock.ts';
import { type CallPorts, prospectOf } from './calls.ts';
import type { ChatPacers } from './pacing/pacing.ts';
import type { Stream } from './stream-state.ts';
import type { StreamView } from './streams.ts';

export interface ViewPorts extends CallPorts {
  readonly road: AskedRoad;
}

export interface TellingPorts extends ViewPorts {
  readonly clock: Clock;
  readonly report: ReportFault;
}

export class Telling {
  readonly #p: TellingPorts;
  readonly #pacers: Pick<ChatPacers, 'outputOf'>;
  readonly #listeners = new Set<(view: StreamView) => void>();

  constructor(ports: TellingPorts, pacers: Pick<ChatPacers, 'outputOf'>) {
    this.#p = ports;
    this.#pacers = pacers;
  }

  listen(listener: (view: StreamView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(stream: Stream): StreamView {
    const view = this.view(stream);
    for (const listener of this.#listeners) {
      try {
        listener(view);
      } catch (error) {
        this.#p.report('listener', error, { stream: stream.id });
      }
    }
    return view;
  }

  view(stream: Stream): StreamView {
    if (stream.endedAt !== null) return viewOf(stream, { cadenceMs: null, waitsFor: null });
    const now = this.#p.clock.now();
    try {
      const output = this.#pacers.outputOf(stream);
      return viewOf(stream, {
        cadenceMs: output.turns.tick(output.pace, now),
        waitsFor: waitsFor(this.#p, stream, output.turnInWords(now)),
      });
    } catch (error) {
      this.#p.report('stream', error, { stream: stream.id });
      return viewOf(stream, { cadenceMs: null, waitsFor: null });
    }
  }
}

const STILL_OPEN = { state: 'open', endedAt: null } as const;

function viewOf(
  stream: Stream,
  now: { cadenceMs: number | null; waitsFor: string | null },
): StreamView {
  const { id, reason, asked, transport, text, shownUnits, parts, finals } = stream;
  const { account, platform, chat, thread, session, correlation, format } = asked;
  const { openedAt, changedAt, superseded } = stream;
  // An end is told when it is on disk: the store may refuse it.
  const { state, endedAt } = stream.isCancelling ? STILL_OPEN : stream;
  return {
    id,
    state,
    reason,
    account,
    platform,
    chat,
    thread,
    session,
    correlation,
    transport,
    format,
    text,
    units: text.length,
    shownUnits,
    messages: parts.map(({ seq, messageId }) => ({ seq, messageId })),
    finals: finals.map(({ seq }) => seq),
    openedAt,
    changedAt,
    endedAt,
    superseded,
    holder: asked.holder ?? null,
    follows: asked.follows ?? null,
    isObserved: asked.isObserved ?? false,
    idleMs: asked.idleMs,
    ...now,
  };
}

// null: nothing is to be shown, or nothing holds it back.
function waitsFor(ports: ViewPorts, stream: Stream, turn: string | null): string | null {
  const { road } = ports;
  switch (stream.state) {
    case 'finishing': {
      const reasons = stream.finals.map(({ seq }) => road.explain(seq)?.summary ?? null);
      return reasons.find((reason) => reason !== null) ?? null;
    }
    case 'open': {
      const { frame, staleSince } = stream;
      const waiting = frame?.kind === 'call' ? (road.explain(frame.seq)?.summary ?? null) : null;
      if (waiting !== null || staleSince === null) return waiting;
      if (stream.isMuted) return 'previews are refused; its final will be tried';
      return road.hindrance(prospectOf(ports, stream)) ?? turn;
    }
    default:
      return null;
  }
}
