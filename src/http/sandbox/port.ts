// What intake needs of the simulator, declared by the one who needs it.

export interface Sandbox {
  // Whose simulator it is.
  readonly platform: string;
  newestByChat(max: number): readonly SandboxMessage[];
  messagesOf(chat: string): readonly SandboxMessage[];
  // A person wrote to the bot; answers the update as the bot gets it.
  inject(
    token: string,
    chat: string,
    text: string,
    now: number,
  ): { readonly update: object; readonly messageId: number };
  setChat(chat: string, state: { kind: 'open' } | { kind: 'blocked' }): void;
  // Refuses the chat for so long, for no fault of the bot's.
  freeze(token: string, chat: string, seconds: number, now: number): void;
}

export interface SandboxMessage {
  // The number of its bot's token.
  readonly bot: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly id: number;
  // Seconds since the epoch.
  readonly date: number;
  readonly fromBot: boolean;
  readonly text: string;
  readonly isDeleted: boolean;
}
