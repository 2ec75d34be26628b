// The port of what happened in each minute of the last day: sums, for charts. Several processes may have written of one
// minute; whoever reads adds them up.

export interface MinuteStore {
  // Replaces those of the same minute, account and process.
  save(sums: readonly MinuteSum[]): Promise<void>;
  // Of one account, or of all of them (ALL_ACCOUNTS), from that minute on, in order of minute and process.
  since(asked: { account: string; minute: number }): Promise<MinuteSum[]>;
  // Forgets those before a minute, at most `max`, oldest first; how many.
  prune(command: { before: number; max: number }): Promise<number>;
}

// Stands for the sum of all: no account is called so.
export const ALL_ACCOUNTS = '';

export interface MinuteSum {
  // Since the epoch, in minutes.
  readonly minute: number;
  readonly account: string;
  // The process that counted.
  readonly node: string;
  readonly sent: number;
  readonly failed: number;
  readonly dead: number;
  // How long those that were sent waited; see domain/wait-histogram.ts.
  readonly waits: readonly number[];
}

export type MinuteCommand =
  | { kind: 'save'; sums: readonly MinuteSum[] }
  | { kind: 'since'; account: string; minute: number }
  | { kind: 'prune'; before: number; max: number };

// The port over a function that runs a command, however it gets to its store.
export function minutesOver(run: (command: MinuteCommand) => Promise<unknown>): MinuteStore {
  const ask = <T>(command: MinuteCommand) => run(command) as Promise<T>;
  return {
    save: (sums) => ask({ kind: 'save', sums }),
    since: (asked) => ask({ kind: 'since', ...asked }),
    prune: (command) => ask({ kind: 'prune', ...command }),
  };
}
