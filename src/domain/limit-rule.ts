// A limit as data: what an operator adds to those of a platform. All of them hold, so the strictest decides.

import type { Family } from './call.ts';

export const LIMIT_SCOPES = ['account', 'chat', 'user'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

export type LimitAmount =
  // At most `count` in any `perMs`; a spacing is a window of one.
  | { readonly kind: 'window'; readonly count: number; readonly perMs: number }
  // `burst` at once, then one every `everyMs`; each `everyMs` of quiet gives one back.
  | { readonly kind: 'debt'; readonly burst: number; readonly everyMs: number };

export interface LimitRule {
  // By which people know it: in explanations, on the page, in metrics.
  readonly name: string;
  readonly scope: LimitScope;
  // null: of every platform.
  readonly platform: string | null;
  // The calls that it counts.
  readonly families: readonly Family[];
  readonly amount: LimitAmount;
}
