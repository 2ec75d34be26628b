import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChatSet } from './chat-set.ts';

const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
);
const chat = fc.oneof(number.map(String), fc.constantFrom('@a', '@b', '', '-0', '007'));

test('holds exactly what a set of texts holds', () => {
  fc.assert(
    fc.property(fc.array(chat, { maxLength: 60 }), (chats) => {
      const [ours, theirs] = [new ChatSet(), new Set<string>()];
      for (const each of chats) {
        expect(ours.add(each)).toBe(!theirs.has(each));
        theirs.add(each);
      }
    }),
  );
});

test.each([1, 17, 4_294_967_296, -1_000_000_000])('grows, also in steps of %i', (step) => {
  const set = new ChatSet();
  const from = 100_200_300;
  for (let i = 0; i < 20_000; i++) expect(set.add(String(from + i * step))).toBe(true);
  for (let i = 0; i < 20_000; i++) expect(set.add(String(from + i * step))).toBe(false);
});
