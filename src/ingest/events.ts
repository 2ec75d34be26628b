// What ingest tells others: for the log, for counting, for whoever forwards posts.

export type IngestEvent =
  // New posts are stored.
  | { readonly kind: 'posts'; readonly source: number; readonly ids: readonly string[] }
  // A look has come to its end.
  | { readonly kind: 'looked'; readonly source: number }
  // Posts between two ids have not come.
  | {
      readonly kind: 'gap';
      readonly source: number;
      readonly after: string;
      readonly before: string;
    }
  | { readonly kind: 'forced'; readonly source: number; readonly reason: string }
  | {
      readonly kind: 'waits';
      readonly source: number;
      readonly method: string;
      readonly until: number;
    }
  | {
      readonly kind: 'failed';
      readonly source: number;
      readonly reason: string;
      readonly detail: string;
    }
  | {
      readonly kind: 'dead';
      readonly source: number;
      readonly reason: string;
      readonly detail: string;
    }
  // Nothing can be read with now: an account is logged out, or there is none. Told when it begins, not at each try.
  | { readonly kind: 'unread'; readonly source: number; readonly detail: string }
  // The store could not be written, or a promise of the code was broken; the look is made again.
  | { readonly kind: 'fault'; readonly source: number | null; readonly error: unknown };
