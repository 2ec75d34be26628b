// Whether an account sends, and if not, why, in words.

import type { Account } from '../../lib/wire/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Reason } from '../../ui/reason.tsx';
import { Until } from '../../ui/time.tsx';

type StandingOf = Pick<Account, 'paused' | 'refused' | 'breaker'>;

// By the platform, not by hand: asking it may help.
export function isHeld({ refused, breaker }: StandingOf): boolean {
  return refused !== null || breaker.state !== 'closed';
}

export function Standing({ account }: { account: StandingOf }) {
  const { refused, paused, breaker } = account;
  if (refused !== null) {
    return (
      <span>
        <Badge word="refused" />{' '}
        <span class="dim small">
          <Reason code={refused} />
        </span>
      </span>
    );
  }
  if (paused) return <Badge word="paused" />;
  if (breaker.state === 'closed') return <Badge word="sending" tone="good" />;
  return (
    <span>
      <Badge word={breaker.state === 'open' ? 'not sending' : 'being tried'} tone="warn" />{' '}
      <span class="dim small">
        {breaker.detail === '' ? <Reason code={breaker.cause} /> : breaker.detail}
        {breaker.until === null ? null : (
          <>
            , tried again <Until at={breaker.until} over="now" />
          </>
        )}
      </span>
    </span>
  );
}
