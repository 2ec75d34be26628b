// A call of the Graph API as its path says it, and what became of it.

import type { SimCall } from '../model.ts';

export type SimAction =
  | { readonly kind: 'send'; readonly number: string }
  | { readonly kind: 'upload'; readonly number: string }
  | { readonly kind: 'look'; readonly id: string }
  | { readonly kind: 'erase'; readonly id: string };

// Its token is `<id in the path>:<bearer>`.
export type WhatsappCall = SimCall & {
  // The code of the error that it was answered with; null: it was taken.
  readonly code: number | null;
  readonly text: string;
  readonly isTyping: boolean;
};

export const bearerOf = (token: string): string => token.slice(token.indexOf(':') + 1);
export const numberOf = (token: string): string => token.slice(0, Math.max(0, token.indexOf(':')));
