// Changes of messages, in terms that platforms share: what is done to a message is done to the copies of it that
// observers have, also on another platform.

type Params = Readonly<Record<string, unknown>>;

export interface MessageChange {
  readonly kind: 'edit' | 'delete' | 'reaction';
  // Ids of its chat.
  readonly messages: readonly string[];
  // Of an edit: what the message says now, without markup; null: that is not what changes.
  readonly text: string | null;
}

export interface MessageChanges {
  // null: it changes no message that could have copies.
  read(method: string, params: Params): MessageChange | null;
  // The same call about another message.
  about(params: Params, message: string): Record<string, unknown>;
  // The call that makes the change here; null: there is none.
  make(change: MessageChange, message: string): ChangeCall | null;
}

export interface ChangeCall {
  readonly method: string;
  readonly params: Params;
}
