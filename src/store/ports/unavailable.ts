// What a command of any port is told when its store cannot be written: it is thrown, because no caller can go on.

// The store cannot be written now (disk full, I/O error). Nothing of the command took effect.
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
  readonly code: 'disk_full' | 'journal_failed';
  constructor(code: 'disk_full' | 'journal_failed', message: string) {
    super(message);
    this.code = code;
  }
}
