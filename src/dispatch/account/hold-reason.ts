// Why nothing of an account goes and what would end it, for a person who asks; and the name that programs know it by.

import { INTERNAL } from '../../domain/fault.ts';
import { ACCOUNT_GONE, SANDBOX_OFF } from '../../domain/ids.ts';
import { outageInWords } from '../../domain/outage.ts';
import { PROBING } from '../../scheduler/scheduler.ts';

interface Hold {
  readonly state: 'closed' | 'open' | 'half_open';
  readonly until: number;
  readonly cause: string;
  // The error as the system or the platform worded it; '': nothing more is known.
  readonly detail: string;
}

export function holdInWords({ state, until, cause, detail }: Hold): string {
  if (state === 'closed') return '';
  const error = detail === '' ? '' : ` (${detail})`;
  if (state === 'half_open') return `one call probes whether the platform works again${error}`;
  if (until !== Number.POSITIVE_INFINITY)
    return `${outageInWords(cause)}${error}; one call will probe`;
  const end =
    'it needs a new one, unless the platform takes this one again (sluice accounts probe asks it now)';
  return ENDLESS[cause] ?? `the platform refuses its token; ${end}`;
}

// Not refused by the platform: it is not asked at all.
const ENDLESS: Readonly<Record<string, string>> = {
  [SANDBOX_OFF]:
    'it is of the built-in simulator, which is switched off here; SLUICE_SANDBOX=on switches it on',
  [ACCOUNT_GONE]:
    'the account is not known any more: it gave way to others; it goes on when its token is used again',
  [INTERNAL]:
    'a fault of Sluice keeps its token from being used; the log of the start has it, a new token may end it',
};

export const PAUSED = 'paused';

export function nameOfHold({ state, cause }: Hold): string {
  return state === 'half_open' ? PROBING : cause;
}

// What ends a hold that no time ends.
export function endOfHold(name: string): string {
  switch (name) {
    case PAUSED:
      return 'an operator to resume it';
    case PROBING:
      return 'the answer to one call';
    case SANDBOX_OFF:
      return 'the simulator to be switched on';
    case ACCOUNT_GONE:
      return 'its token to be used again';
    case INTERNAL:
      return 'a new token';
    default:
      return 'a token the platform takes';
  }
}
