// Told of every batch when it is written: its commands, and the time since it was handed over.
export interface CommitWatch {
  now(): number;
  written(commands: number, tookMs: number): void;
}
