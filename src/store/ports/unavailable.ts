// What a command of any port rejects with when its store cannot be written: thrown, because no caller can go on.

// The store cannot be written now (disk full, I/O error). Nothing of the command took effect.
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
  readonly code: 'disk_full' | 'journal_failed';
  constructor(code: 'disk_full' | 'journal_failed', message: string) {
    super(message);
    this.code = code;
  }
}

// The store can be written, and takes this command neither now nor later.
export class CommandRefused extends JournalUnavailable {}

// The store went away before it said whether it took the command. It may have; `doubt` is how to ask it later.
export class CommandInDoubt extends JournalUnavailable {
  readonly doubt: Doubt;
  constructor(message: string, doubt: Doubt) {
    super('journal_failed', message);
    this.doubt = doubt;
  }
}

// The process that owns the account did not answer whether it took the command. It may have.
export class OwnerSilent extends JournalUnavailable {
  constructor() {
    super('journal_failed', 'the owner of the account did not answer');
  }
}

// The account is another process's by now, or soon: nothing was done.
export class TakenOver extends JournalUnavailable {
  constructor() {
    super('journal_failed', 'the account was taken over');
  }
}

// A command by its place in a batch of a writer.
export interface Doubt {
  readonly writer: string;
  readonly batch: number;
  readonly index: number;
}

// For `catch`: where it does no harm that nothing was written.
export function tolerateUnavailable(error: unknown): void {
  if (!(error instanceof JournalUnavailable)) throw error;
}
