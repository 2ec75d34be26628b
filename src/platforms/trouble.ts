// What a platform's own code holds back, and whoever runs the gateway should know of: as long as it lasts, with what to
// do about it.

export interface PlatformTrouble {
  readonly code: string;
  // `critical`: nothing of the platform goes out; `warning`: a part of it does not.
  readonly severity: 'critical' | 'warning';
  // When it ends by itself; null: nobody can tell.
  readonly until: number | null;
  readonly summary: string;
  readonly remedy: string;
}

// A line of the log; no credential in it.
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void;
