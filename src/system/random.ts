// Chance comes in here and nowhere else. The seeded kind makes whole worlds replayable.

export interface Random {
  // Uniform in [0, 1).
  next(): number;
}

export function systemRandom(): Random {
  return { next: Math.random };
}

// splitmix32: small, fast, good enough to drive simulations; never for secrets.
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
    },
  };
}

export function intBelow(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[intBelow(random, items.length)]!;
}
