// Why a store could not be opened, restored or copied: a stable code, and a sentence that says what
// to do.

export type OpenErrorCode =
  | 'locked'
  | 'read_only'
  | 'not_a_folder'
  | 'corrupt'
  | 'loss'
  | 'not_a_store'
  | 'newer_schema'
  | 'older_schema'
  | 'exists'
  | 'missing'
  | 'disk_full'
  // What a node accepted while its database was away is not in this store.
  | 'spill_left'
  // Of a database: another secret than that of its other nodes.
  | 'other_secret'
  // A database that does not answer: it may do so later.
  | 'unreachable'
  | 'failed';

export class JournalOpenError extends Error {
  override readonly name = 'JournalOpenError';
  readonly code: OpenErrorCode;
  constructor(code: OpenErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly code: 'exists' | 'failed';
  constructor(code: 'exists' | 'failed', path: string, detail = '') {
    super(
      code === 'exists'
        ? `${path} exists already: name a new file for the snapshot`
        : `the snapshot to ${path} failed: ${detail}`,
    );
    this.code = code;
  }
}
