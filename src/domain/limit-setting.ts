// The limits of one account that an operator may set by hand while the gateway runs: the numbers of its platform, by
// the names that the settings have for them.

// A number, or none where the setting may be left out.
export type LimitNumber = number | null;

export interface LimitSetting {
  readonly name: string;
  readonly meaning: string;
  readonly unit: string | null;
  // What may be set, in words.
  readonly expected: string;
  readonly value: LimitNumber;
  // What holds where nothing is set by hand.
  readonly usual: LimitNumber;
  readonly from: 'default' | 'settings' | 'hand';
}

// By name; null: back to what holds where nothing is set by hand.
export type LimitChange = Readonly<Record<string, unknown>>;

// What is set by hand of one account, by name; as it is kept.
export type LimitsByHand = Readonly<Record<string, LimitNumber>>;

export interface WrongLimit {
  readonly name: string;
  readonly expected: string;
}

export type CheckedLimits =
  | { readonly kind: 'right'; readonly byHand: LimitsByHand }
  | { readonly kind: 'wrong'; readonly problems: readonly WrongLimit[] };
