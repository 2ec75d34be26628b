// One seed for all that is drawn at random: the same run twice is the same run, so a failure is a fault of the change
// that is tested and not of chance. TEST_SEED=fresh npm test draws another one and prints it.

import fc from 'fast-check';

export const TEST_SEED = Number(process.env.TEST_SEED ?? 20_261_118);

if (!Number.isInteger(TEST_SEED)) throw new Error('TEST_SEED: expected a whole number, or fresh');
fc.configureGlobal({ seed: TEST_SEED });
