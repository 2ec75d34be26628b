import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { masked } from './mask.ts';

const OWN = 'aab';
const BODY = 'x aab aaab 42:aabaab aa';
const SHOWN = 'x ZZZZ aZZZZ 42:ZZZZZZZZ aa';

test('the secret is replaced wherever the answer is cut', async () => {
  for (let first = 0; first <= BODY.length; first++) {
    for (let second = first; second <= BODY.length; second++) {
      const cuts = [BODY.slice(0, first), BODY.slice(first, second), BODY.slice(second)];
      const chunks = cuts.filter((cut) => cut !== '').map((cut) => Buffer.from(cut));
      expect(await text(masked(Readable.from(chunks), OWN, 'ZZZZ'))).toBe(SHOWN);
    }
  }
});

test('an answer that breaks off stays broken', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('x');
      throw new Error('cut');
    })(),
  );
  await expect(text(masked(broken, OWN, 'ZZZZ'))).rejects.toThrow('cut');
});
