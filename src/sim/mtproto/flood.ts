// Waits: of how many calls, per account and method, and for how long. What the real numbers are nobody outside knows,
// so they are parameters. A call inside its wait is answered with what is left of it, and remembered: a client that
// honours its waits makes none.

export interface FloodRule {
  readonly method: string;
  // At most so many in any `perMs`; the next one starts a wait.
  readonly count: number;
  readonly perMs: number;
  readonly waitS: number;
}

export type FloodVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'wait'; readonly seconds: number; readonly isInside: boolean };

const FREE: FloodVerdict = { kind: 'free' };

export class MethodFloods {
  readonly #rules: readonly FloodRule[];
  readonly #calls = new Map<string, number[]>();
  readonly #until = new Map<string, number>();

  constructor(rules: readonly FloodRule[]) {
    this.#rules = rules;
  }

  judge(account: string, method: string, now: number): FloodVerdict {
    const key = `${account} ${method}`;
    const until = this.#until.get(key) ?? 0;
    if (until > now) return waitOf(until - now, true);
    const rule = this.#rules.find((each) => each.method === method);
    if (rule === undefined) return FREE;
    const calls = (this.#calls.get(key) ?? []).filter((at) => at > now - rule.perMs);
    this.#calls.set(key, calls);
    if (calls.length < rule.count) {
      calls.push(now);
      return FREE;
    }
    this.#calls.delete(key);
    this.freeze(account, method, rule.waitS, now);
    return waitOf(rule.waitS * 1000, false);
  }

  freeze(account: string, method: string, seconds: number, now: number): void {
    this.#until.set(`${account} ${method}`, now + seconds * 1000);
  }
}

function waitOf(ms: number, isInside: boolean): FloodVerdict {
  return { kind: 'wait', seconds: Math.ceil(ms / 1000), isInside };
}
