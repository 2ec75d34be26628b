// When the messages were accepted: a quick choice, or from one moment to another. The address has exact times, so that
// a link means the same tomorrow; the fields show the time of where one sits.

import { wallNow } from '../../lib/browser.ts';
import { fromLocalField, localField } from '../../lib/format.ts';
import type { Query } from '../../lib/route.ts';
import { Choice, MomentField } from '../../ui/field.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Range {
  readonly since: string;
  readonly until: string;
}

const ALL: Range = { since: '', until: '' };
const CHOSEN = 'chosen';
const CHOICES: readonly (readonly [value: string, label: string])[] = [
  ['', 'any time'],
  ['15m', 'last 15 min'],
  ['hour', 'last hour'],
  ['today', 'today'],
  ['yesterday', 'yesterday'],
  [CHOSEN, 'from … until'],
];

export function TimeRange(props: { query: Query; onChange: (range: Range) => void }) {
  const { query, onChange } = props;
  const { since = '', until = '' } = query;
  const isOpen = since !== '' || until !== '';
  return (
    <>
      <Choice
        label="When"
        value={isOpen ? CHOSEN : ''}
        options={CHOICES}
        onChange={(choice) => onChange(rangeOf(choice, wallNow()))}
      />
      {isOpen ? (
        <>
          <MomentField
            label="From"
            value={localField(since)}
            onChange={(value) => onChange({ since: fromLocalField(value), until })}
          />
          <MomentField
            label="Until"
            value={localField(until)}
            onChange={(value) => onChange({ since, until: fromLocalField(value) })}
          />
        </>
      ) : null}
    </>
  );
}

function rangeOf(choice: string, now: number): Range {
  const from = (ms: number) => ({ since: new Date(ms).toISOString(), until: '' });
  const today = new Date(now).setHours(0, 0, 0, 0);
  switch (choice) {
    case '15m':
      return from(now - 15 * MINUTE);
    case 'hour':
    case CHOSEN:
      return from(now - HOUR);
    case 'today':
      return from(today);
    case 'yesterday': {
      // Not a day of 24 hours where the clocks change.
      const before = new Date(today);
      before.setDate(before.getDate() - 1);
      return { since: before.toISOString(), until: new Date(today).toISOString() };
    }
    default:
      return ALL;
  }
}
