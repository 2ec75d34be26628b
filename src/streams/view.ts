// A stream as it is told to the outside, and in words what it waits for.

import type { AskedRoad } from '../road/road.ts';
import { type CallPorts, prospectOf } from './calls.ts';
import type { Stream } from './stream-state.ts';
import type { StreamView } from './streams.ts';

export interface ViewPorts extends CallPorts {
  readonly road: AskedRoad;
}

export function viewOf(
  stream: Stream,
  now: { cadenceMs: number | null; waitsFor: string | null },
): StreamView {
  const { id, state, reason, asked, transport, text, shownUnits, parts, finals } = stream;
  const { account, platform, chat, thread, session, correlation, format } = asked;
  const { openedAt, changedAt, endedAt, superseded } = stream;
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
export function waitsFor(ports: ViewPorts, stream: Stream, turn: string | null): string | null {
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
