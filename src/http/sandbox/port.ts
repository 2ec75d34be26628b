// What the routes need of the simulator, declared by the one who needs it.

export interface Sandbox {
  // Whose simulator it is.
  readonly platform: string;
  // How an account learns of an update that is posted nowhere.
  readonly pulledBy: string;
  newestByChat(max: number): readonly SandboxMessage[];
  messagesOf(chat: string): readonly SandboxMessage[];
  // A person wrote to the bot; answers the update as the platform would post it.
  inject(
    token: string,
    chat: string,
    text: string,
    now: number,
  ): { readonly posted: object; readonly messageId: number | string };
  setChat(chat: string, state: { kind: 'open' } | { kind: 'blocked' }): void;
  isBlocked(chat: string): boolean;
  // Refuses the chat for so long, for no fault of the bot's.
  freeze(token: string, chat: string, seconds: number, now: number): void;
}

// By platform; none: the sandbox is off.
export type Sandboxes = ReadonlyMap<string, Sandbox>;

export interface SandboxMessage {
  // Its account, as its credential claims it.
  readonly bot: string;
  readonly chat: string;
  readonly thread: string | null;
  // As the platform writes it.
  readonly id: number | string;
  // Seconds since the epoch.
  readonly date: number;
  readonly fromBot: boolean;
  readonly text: string;
  readonly isDeleted: boolean;
}
