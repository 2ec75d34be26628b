// Ids that platforms count upwards and that may not fit into a number: decimal digits, compared as what they count.

const DECIMAL_ID = /^(0|[1-9]\d{0,18})$/;
// 63 bits: what a database's integer holds, and more than any platform has counted to.
export const ID_MAX = '9223372036854775807';

// Before every id there is.
export const ID_ZERO = '0';

export function isDecimalId(text: string): boolean {
  return DECIMAL_ID.test(text) && compareIds(text, ID_MAX) <= 0;
}

// Without zeros in front, the longer one is the higher.
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function higherId(a: string, b: string): string {
  return compareIds(a, b) >= 0 ? a : b;
}

export function idPlus(id: string, count: number): string {
  return String(BigInt(id) + BigInt(count));
}

// Not below zero.
export function idMinus(id: string, count: number): string {
  const less = BigInt(id) - BigInt(count);
  return less < 0n ? ID_ZERO : String(less);
}
