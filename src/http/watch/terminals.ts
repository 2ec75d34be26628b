// What intake needs of the terminals, declared by the one who needs it. platforms/terminal/ implements it.

export interface Terminals {
  // What is on the screen now; from then on every change is told, until `leave`.
  watch(
    account: string,
    chat: string,
    watcher: (event: TerminalEvent) => void,
  ): { readonly shown: readonly TerminalMessage[]; leave(): void };
}

export interface TerminalMessage {
  readonly id: number;
  readonly thread: string | null;
  readonly text: string;
  readonly at: number;
  readonly editedAt: number | null;
}

export type TerminalEvent =
  | { kind: 'message' | 'edited'; message: TerminalMessage }
  | { kind: 'deleted'; id: number; at: number }
  | { kind: 'typing'; at: number };
