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
  // Where one call makes several messages, of which the ledger names the first only.
  readonly albums?: Albums;
}

export interface Albums {
  // What the first message of an album with this message may be, the nearest first.
  firstsOf(message: string): readonly string[];
  // Whether the call that was answered so made the message.
  holds(result: string, message: string): boolean;
}

export interface ChangeCall {
  readonly method: string;
  readonly params: Params;
}

// How a platform says them whose messages have an id of their own.
export interface OwnChanges {
  // null: it changes no message.
  kindOf(method: string): MessageChange['kind'] | null;
  // The parameter that names the message.
  idName(params: Params): string;
  messagesIn(params: Params): readonly string[];
  // An id as its parameter takes it; left out: as text.
  idOf?(message: string): string | number;
  textOf(method: string, params: Params): string | null;
  readonly edit: string;
  readonly remove: string;
  editOf(text: string): Params;
}

export function changesBy(own: OwnChanges): MessageChanges {
  const { idOf = String } = own;
  return {
    read(method, params) {
      const kind = own.kindOf(method);
      const messages = own.messagesIn(params);
      if (kind === null || messages.length === 0) return null;
      return { kind, messages, text: kind === 'edit' ? own.textOf(method, params) : null };
    },
    about: (params, message) => ({ ...params, [own.idName(params)]: idOf(message) }),
    make({ kind, text }, message) {
      const id = { [own.idName({})]: idOf(message) };
      if (kind === 'delete') return { method: own.remove, params: id };
      if (kind !== 'edit' || text === null) return null;
      return { method: own.edit, params: { ...id, ...own.editOf(text) } };
    },
  };
}
