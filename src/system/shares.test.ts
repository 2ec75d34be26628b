import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claimant, Shares } from './shares.ts';

const stranger = (account: string, address = ''): Claimant => ({
  account,
  address,
  isStranger: true,
});
const configured = (account: string): Claimant => ({ account, address: '', isStranger: false });

function fill(shares: Shares, claimant: Claimant): number {
  let taken = 0;
  while (shares.take(claimant)) taken += 1;
  return taken;
}

describe('nobody holds more than is still free', () => {
  test('one gets half, two a third each, and a newcomer finds room', () => {
    const shares = new Shares(900, 900);
    expect(fill(shares, stranger('a'))).toBe(450);
    expect(fill(shares, stranger('b'))).toBe(225);
    expect(fill(shares, stranger('c'))).toBeGreaterThan(100);
    expect(shares.take(stranger('newcomer'))).toBe(true);
  });

  test('many accounts of one address have one share together', () => {
    const shares = new Shares(1000, 1000);
    let taken = 0;
    for (let n = 0; n < 1000; n++) if (shares.take(stranger(`account ${n}`, '10.0.0.1'))) taken++;
    expect(taken).toBe(500);
    expect(fill(shares, stranger('other', '10.0.0.2'))).toBe(250);
  });

  test('strangers leave a quarter for the configured, however many they are', () => {
    const shares = new Shares(1000);
    for (let n = 0; n < 5000; n++)
      shares.take(stranger(`account ${n}`, `10.0.${n >> 8}.${n & 255}`));
    expect(shares.held).toBe(750);
    expect(shares.take(stranger('late', '10.9.9.9'))).toBe(false);
    expect(fill(shares, configured('mine'))).toBe(125);
  });

  test('what does not fit takes nothing', () => {
    const shares = new Shares(100);
    expect(shares.take(configured('a'), 101)).toBe(false);
    expect(shares.held).toBe(0);
    expect(shares.heldBy('a')).toBe(0);
  });
});

test('whatever is taken and given, the sums are right and the bounds are kept', () => {
  const claimant = fc.record({
    account: fc.constantFrom('a', 'b', 'c'),
    address: fc.constantFrom('', '1', '2'),
    isStranger: fc.boolean(),
  });
  const step = fc.record({
    claimant,
    amount: fc.integer({ min: 1, max: 30 }),
    gives: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares(100);
      const held: { claimant: Claimant; amount: number }[] = [];
      for (const { claimant: who, amount, gives } of steps) {
        const last = held.at(-1);
        if (gives && last !== undefined) {
          shares.give(last.claimant, last.amount);
          held.pop();
        } else if (shares.take(who, amount)) held.push({ claimant: who, amount });
        const sum = (of: typeof held) => of.reduce((n, each) => n + each.amount, 0);
        expect(shares.held).toBe(sum(held));
        expect(shares.held).toBeLessThanOrEqual(100);
        expect(sum(held.filter((each) => each.claimant.isStranger))).toBeLessThanOrEqual(75);
        expect(shares.heldBy('a')).toBe(sum(held.filter((each) => each.claimant.account === 'a')));
      }
    }),
  );
});
