import { expect, test } from 'vitest';
import { lineOf } from './events.ts';

test('an event is one line: when, what, of whom, and whatever else it says', () => {
  const data = {
    ...{ at: '2030-01-01T00:00:00.007Z', lane: 'main', tookMs: 12, reason: null },
    ...{ id: 'abcde-1', account: 'telegram:1', chat: '42', from: 'sending', to: 'sent' },
  };
  // In the time of this machine, as all commands print it.
  const here = new Date(data.at).toLocaleString('sv-SE');
  expect(lineOf({ kind: 'moved', data })).toBe(
    `${here}.007 moved     account=telegram:1 chat=42 id=abcde-1 from=sending to=sent tookMs=12`,
  );
  const own = lineOf({ kind: 'moved', data: { ...data, correlation: 'order-7' } });
  expect(own).toContain(' id=abcde-1 correlation=order-7 from=sending ');
  expect(lineOf({ kind: 'moved', data: { ...data, correlation: data.id } })).not.toContain('corr');
  expect(lineOf({ kind: 'breaker', data: { cause: 'a\nb' } })).not.toContain('\n');
});
