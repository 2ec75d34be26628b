// An account for a person's eyes: what keeps it from sending, and the command that may end it.

import { INTERNAL } from '../../domain/fault.ts';
import { SANDBOX_OFF } from '../../domain/ids.ts';
import { metIn, outageInWords } from '../../domain/outage.ts';
import { moment, until } from '../terminal/table.ts';

export interface ShownAccount {
  readonly id: string;
  readonly paused: boolean;
  readonly refused: string | null;
  readonly breaker: {
    readonly state: string;
    readonly until: string | null;
    readonly cause: string;
    readonly detail: string;
  };
  // Of the gateway's version, where it knows one.
  readonly silentSince?: string | null;
  readonly waiting: number;
  readonly inFlight: number;
}

// null: nothing does. Freezes are told beside it: a chat's trouble is that chat's.
export function troubleOf(account: ShownAccount, now: number): string | null {
  const { refused, paused, breaker, silentSince = null } = account;
  if (breaker.cause === SANDBOX_OFF) return 'of the built-in simulator, which is switched off';
  if (refused === INTERNAL) return 'a fault of Sluice keeps its token from being used; see the log';
  if (refused !== null)
    return `its token is refused by the platform (${refused}): it needs a new one`;
  if (paused) return 'paused by an operator';
  if (breaker.state === 'closed') {
    const of = 'the platform answers none of its calls in flight';
    return silentSince === null ? null : `${of}, since ${moment(silentSince)}`;
  }
  const end = until(breaker.until, now);
  return `${outageInWords(breaker.cause)}: ${metIn(breaker)}${end === null ? '' : `, tried again at ${end}`}`;
}

// What follows `sluice` to end it; null: there is nothing to end.
export function cureOf({ id, refused, paused, breaker }: ShownAccount): string | null {
  if (paused && refused === null) return `resume ${id}`;
  return refused !== null || breaker.state !== 'closed' ? `accounts probe ${id}` : null;
}
