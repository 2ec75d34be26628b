// The command line as shells see it: what may follow each command.

export interface Completed {
  // [] is `sluice` itself.
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  // What an argument may be, where that is known.
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

export interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly takesFiles: boolean;
}
