// What the routes of ingest answer.

export type SourceState = 'active' | 'paused' | 'dead' | 'removed';
export type Mode = 'historical' | 'incremental';

export interface Source {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly state: SourceState;
  readonly account: string | null;
  readonly priority: number;
  readonly forwardTo:
    | { readonly url: string }
    | { readonly account: string; readonly chat: string; readonly thread: string | null }
    | null;
  readonly createdAt: string;
  readonly mode: Mode;
  readonly cursor: { readonly lastId: string };
  readonly lastSuccessAt: string | null;
  readonly newestPostDate: string | null;
  readonly nextLookAt: string | null;
  readonly nextLookReason: string;
  readonly gaps: readonly { readonly after: string; readonly before: string }[];
  readonly failure: {
    readonly reason: string;
    readonly detail: string;
    readonly since: string;
    readonly count: number;
  } | null;
  readonly trouble: string | null;
  readonly run: Run | null;
}

export interface Run {
  readonly mode: Mode;
  readonly startedAt: string;
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
  readonly lastId: string;
  readonly newestId: string | null;
}

export interface PostContent {
  // null: not for this role to see.
  readonly text: string | null;
  readonly author: string | null;
  readonly groupId: string | null;
  readonly media: readonly {
    readonly kind: string;
    readonly name: string | null;
    readonly bytes: number | null;
  }[];
  readonly editedAt: string | null;
  readonly deletedAt: string | null;
}

export interface Post extends PostContent {
  readonly source: string;
  readonly messageId: string;
  readonly date: string;
  readonly storedAt: string;
  readonly versions: number;
}

export interface WholePost extends Post {
  readonly history: readonly (PostContent & { readonly until: string })[];
}

export interface Readers {
  // By which sources can be read here.
  readonly kinds: readonly string[];
  // Those that read with an account of this gateway, of that platform.
  readonly sending: readonly SendingKind[];
  // To which accounts log in; `missing`: what to do so that they can, null: they can.
  readonly logins: { readonly kinds: readonly string[]; readonly missing: string | null };
  readonly accounts: readonly Reader[];
}

export interface SendingKind {
  readonly kind: string;
  readonly platform: string;
  // After "read by".
  readonly title: string;
}

export interface Reader {
  readonly kind: string;
  // null: no account is needed.
  readonly id: string | null;
  readonly name: string | null;
  readonly state: 'ok' | 'waiting' | 'logged_out';
  readonly connected: boolean;
  readonly waits: readonly {
    readonly method: string;
    readonly since: string;
    // null: until someone logs in.
    readonly until: string | null;
  }[];
}

// An account that is logging in.
export interface Login {
  readonly id: string;
  readonly kind: string;
  readonly state: 'code' | 'password' | 'logged_in' | 'refused';
  readonly again: boolean;
  readonly hint: string | null;
  readonly account: { readonly id: string; readonly name: string } | null;
  readonly detail: string | null;
  readonly waitSeconds: number | null;
}
