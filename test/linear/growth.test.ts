import { expect, test } from 'vitest';
import { growthOf, type Measure, RATIO_MAX } from './growth.ts';

const MEGABYTE = 1_000_000;

// What each length would take; `noise`: how many times longer the n-th measurement says.
function measured(msOf: (chars: number) => number, noise: (nth: number) => number = () => 1) {
  let nth = 0;
  const measure: Measure = async (_work, { length }) => msOf(length) * noise(nth++);
  const textOf = (chars: number) => 'a'.repeat(chars);
  return growthOf(() => {}, textOf, MEGABYTE, measure);
}

const power = (exponent: number, msAtMegabyte: number) => (chars: number) =>
  msAtMegabyte * (chars / MEGABYTE) ** exponent;

test.each([1.2, 1.3, 1.5, 2])('what grows with the power %d is found', async (exponent) => {
  const { ratio } = await measured(power(exponent, 3_000));
  expect(ratio).toBeGreaterThan(RATIO_MAX);
});

test('so is what grows with the square up to a length that is refused', async () => {
  const square = power(2, 20_000);
  const { ratio } = await measured((chars) => (chars > MEGABYTE ? 0 : square(chars)));
  expect(ratio).toBeGreaterThan(RATIO_MAX);
  const steep = power(1.3, 600);
  const refused = await measured((chars) => (chars > MEGABYTE ? 0 : steep(chars)));
  expect(refused.ratio).toBeGreaterThan(RATIO_MAX);
});

test('what grows with its length is not, also where each character costs more from some length on', async () => {
  expect(await measured(power(1, 5_000))).toMatchObject({ ratio: 0 });
  const linear = power(1, 400);
  const dearer = (chars: number) => linear(chars) * (chars > 300_000 ? 1.7 : 1);
  expect(await measured(dearer)).toMatchObject({ ratio: 0 });
});

test('nor is it where most measurements are made on a busy machine', async () => {
  const noisy = measured(power(1, 600), (nth) => (nth % 4 === 0 ? 1 : 2.5));
  expect(await noisy).toMatchObject({ ratio: 0 });
});
