import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Part, plan } from './plan.ts';

function part(seq: number, digest: string | null, isLost = false): Part {
  return { seq, messageId: null, digest, isLost };
}

describe('a plan', () => {
  test('sends what is missing, changes what differs, leaves the rest', () => {
    expect(plan([], ['a'], false)).toEqual([{ kind: 'send', part: 0 }]);
    expect(plan([part(1, 'a'), part(2, 'b')], ['a', 'c', 'd'], false)).toEqual([
      { kind: 'edit', part: 1, seq: 2 },
      { kind: 'send', part: 2 },
    ]);
    expect(plan([part(1, 'a')], ['a'], true)).toEqual([]);
  });

  test('closes a part before the next begins', () => {
    expect(plan([part(1, 'half')], ['full', 'rest'], false).map(({ kind }) => kind)).toEqual([
      'edit',
      'send',
    ]);
  });

  test('removes what is too much, the last first', () => {
    expect(plan([part(1, 'a'), part(2, 'b'), part(3, 'c')], ['x'], false)).toEqual([
      { kind: 'edit', part: 0, seq: 1 },
      { kind: 'remove', part: 2, seq: 3 },
      { kind: 'remove', part: 1, seq: 2 },
    ]);
  });

  test('sends what someone deleted anew for the final, not for a preview', () => {
    const shown = [part(1, null, true)];
    expect(plan(shown, ['a'], false)).toEqual([]);
    expect(plan(shown, ['a'], true)).toEqual([{ kind: 'send', part: 0 }]);
    expect(plan(shown, [], true)).toEqual([]);
  });
});

test('a plan that is carried out leaves nothing to do, and the text as it should be', () => {
  const digest = fc.constantFrom('a', 'b', 'c');
  const shown = fc.array(fc.tuple(fc.option(digest), fc.boolean()), { maxLength: 6 });
  fc.assert(
    fc.property(shown, fc.array(digest, { maxLength: 6 }), (before, wanted) => {
      let seq = 0;
      const parts = before.map(([known, isLost]) => part(++seq, known, isLost));
      for (const step of plan(parts, wanted, true)) {
        if (step.kind === 'send') parts[step.part] = part(++seq, wanted[step.part]!);
        else if (step.kind === 'remove') parts.length = step.part;
        else parts[step.part] = { ...parts[step.part]!, digest: wanted[step.part]! };
      }
      const kept = parts.filter(({ isLost }) => !isLost);
      expect(kept.map((one) => one.digest)).toEqual(wanted);
      expect(plan(parts, wanted, true)).toEqual([]);
    }),
  );
});
