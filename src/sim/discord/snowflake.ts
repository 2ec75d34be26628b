// Ids that tell when they were made: milliseconds since 2015 above 22 bits that count.

const EPOCH_MS = 1_420_070_400_000;
const COUNTED = 1n << 22n;

export class Snowflakes {
  #count = 0n;

  next(now: number): string {
    this.#count = (this.#count + 1n) % COUNTED;
    return String(BigInt(Math.floor(now) - EPOCH_MS) * COUNTED + this.#count);
  }
}

// When it was made; null: it is none.
export function madeAt(id: string): number | null {
  return /^\d{15,20}$/.test(id) ? Number(BigInt(id) / COUNTED) + EPOCH_MS : null;
}

// Tokens of interactions are `interaction:<id>:<secret>` in base64.
export function interactionToken(id: string, secret: string): string {
  return Buffer.from(`interaction:${id}:${secret}`).toString('base64url');
}

// What secrets that are made for a bot begin with: those of a sandbox's bot are told from others by their look.
export function secretFor(token: string): string {
  return token.includes('.sandbox') ? 'sandbox' : 'made';
}

export function interactionOf(token: string): string | null {
  const text = Buffer.from(token, 'base64url').toString();
  return /^interaction:(\d+):/.exec(text)?.[1] ?? null;
}

// The id of the bot that a token is of: its first part, in digits or in base64; null: it is no token.
export function botOf(token: string): string | null {
  const dot = token.indexOf('.');
  if (dot < 1) return null;
  const first = token.slice(0, dot);
  if (/^\d{1,20}$/.test(first)) return first;
  const decoded = Buffer.from(first, 'base64url').toString();
  return /^\d{1,20}$/.test(decoded) ? decoded : null;
}
