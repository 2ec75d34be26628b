// Why nothing of an account goes, for a person who asks.

import { INTERNAL } from '../../domain/fault.ts';
import { SANDBOX_OFF } from '../../domain/ids.ts';

interface Hold {
  readonly state: 'closed' | 'open' | 'half_open';
  readonly until: number;
  readonly cause: string;
  // What was really met; '': nothing more is known.
  readonly detail: string;
}

export function holdInWords({ state, until, cause, detail }: Hold): string {
  if (state === 'closed') return '';
  const met = detail === '' ? cause : detail;
  if (state === 'half_open') return `one call probes whether the platform works again (${met})`;
  if (until !== Number.POSITIVE_INFINITY)
    return `the platform does not answer (${met}); one call will probe`;
  const end =
    'it needs a new one, or the platform’s yes to this one (sluice accounts probe asks now)';
  return ENDLESS[cause] ?? `the platform refuses its token (${cause}); ${end}`;
}

// Where not the platform refuses, but we do not ask it.
const ENDLESS: Readonly<Record<string, string>> = {
  [SANDBOX_OFF]:
    'it is of the built-in simulator, which is switched off here; SLUICE_SANDBOX=on switches it on',
  [INTERNAL]:
    'a fault of Sluice keeps its token from being used; the log of the start has it, a new token may end it',
};
