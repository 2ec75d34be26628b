import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BySeq } from './collections.ts';

const SEQS = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 2 ** 40, max: 2 ** 40 + 20 }),
);
const STEPS = fc.array(
  fc.record({ deed: fc.constantFrom('set', 'set', 'delete', 'look'), seq: SEQS }),
  { maxLength: 200, size: 'max' },
);

test('answers as a map would, for numbers side by side and far apart', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const map = new Map<number, object>();
      const pages = new BySeq<object>();
      for (const { deed, seq } of steps) {
        const item = {};
        if (deed === 'set') {
          map.set(seq, item);
          pages.set(seq, item);
        } else if (deed === 'delete') {
          map.delete(seq);
          pages.delete(seq);
        }
        expect(pages.get(seq)).toBe(map.get(seq));
        for (const known of map.keys()) expect(pages.get(known)).toBe(map.get(known));
        for (const near of [seq - 1, seq + 1, seq + 16])
          expect(pages.has(near)).toBe(map.has(near));
      }
    }),
  );
});
