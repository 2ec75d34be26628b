// What a call touches, as far as it matters to a key that is bound to chats.

export type Targets =
  // It tells nothing of any chat and changes nothing.
  | { readonly kind: 'none' }
  // These chats and no others, in their canonical spelling; at least one.
  | { readonly kind: 'chats'; readonly chats: readonly string[] }
  // The account as a whole: its settings, its money, its files, what people write to it. `chats` are those it names.
  | { readonly kind: 'account'; readonly chats: readonly string[] }
  // Nobody can tell: the method is not in the platform's table, or a parameter hides where the call goes.
  | { readonly kind: 'unknown' };

// A call's parameters with every JSON text in them read: what is judged is what is sent.
export type PlainParams =
  | { readonly kind: 'plain'; readonly params: Readonly<Record<string, unknown>> }
  // Of which parameter it cannot be told; '': its name is none that the platform has.
  | { readonly kind: 'unreadable'; readonly name: string };
