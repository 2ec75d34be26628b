// How the history of a channel is read: the port of ingest. A reader makes one call for each question, never waits and
// never repeats: what to ask next, when, and what becomes of an answer is for ingest to say. Ids of posts are decimal
// digits.

export interface ReadPost {
  readonly id: string;
  // When it was posted, and last changed; ms.
  readonly date: number;
  readonly editedAt: number | null;
  // Without markup; '': it is of media alone.
  readonly text: string;
  // As the platform signs it; null: it is unsigned.
  readonly author: string | null;
  // Posts of one album share it. Their ids need not be neighbours.
  readonly groupId: string | null;
  readonly media: readonly MediaReference[];
}

export interface MediaReference {
  // `photo`, `video`, `document` …: the platform's own word.
  readonly kind: string;
  readonly name: string | null;
  readonly bytes: number | null;
  // With what `download` finds it, for some hours: whoever wants the file reads the post again. null: it has none.
  readonly reference: string | null;
}

export interface MediaPiece {
  readonly bytes: Uint8Array;
  // There is nothing after it.
  readonly isLast: boolean;
  // As the platform calls it; null: it does not say.
  readonly contentType: string | null;
}

// A channel as its platform knows it: asked for once and kept, because asking by name is what platforms punish most.
export interface Channel {
  readonly id: string;
  // What a call needs beside the id (an access hash); null: nothing.
  readonly access: string | null;
  readonly name: string | null;
  readonly title: string;
}

export interface HistoryPage {
  // Ascending. An empty or a short page is not the end. An empty one below `newestId`: its ids may all be deleted, or
  // it came short; `byId` says which, before anyone goes past them.
  readonly posts: readonly ReadPost[];
  // Up to this id nothing is left to tell, also where what stands there is no post; left out: up to the last post.
  readonly upTo?: string;
  // The newest id the channel has at this moment; null: the answer does not say.
  readonly newestId: string | null;
  // From where `changes` goes on; null: the answer does not say.
  readonly mark: string | null;
}

export type Changes =
  | {
      readonly kind: 'changes';
      // New and edited ones.
      readonly posts: readonly ReadPost[];
      readonly deleted: readonly string[];
      readonly mark: string;
      // There is nothing more for now.
      readonly isLast: boolean;
      // The platform wishes not to be asked sooner; 0: it does not say.
      readonly notBeforeMs: number;
    }
  // More has happened than it tells: ascend again from the last id, go on from `mark`, audit the tail.
  | { readonly kind: 'too_long'; readonly mark: string };

// A post that the platform has told of by itself.
export interface PushedPost {
  // `name`: as people call the channel; null: it has none.
  readonly channel: { readonly id: string; readonly name: string | null };
  readonly post: ReadPost;
}

export type Read<Value> =
  // `restMs`: the platform's own count says that the next call of this method would be too early before that.
  | { readonly kind: 'read'; readonly value: Value; readonly restMs?: number }
  // The platform's wait for this method of this account; never capped. `isOfAccount`: for all that the account does,
  // whatever it sends, too.
  | { readonly kind: 'wait'; readonly waitMs: number; readonly isOfAccount?: boolean }
  // It may go better another time.
  | { readonly kind: 'failed'; readonly reason: ReadFailure; readonly detail: string }
  // It will not: no such channel, a private one, no preview.
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string }
  // The account itself is refused: nothing may be asked with it until someone has logged in.
  | { readonly kind: 'logged_out'; readonly detail: string };

export type ReadFailure = 'timeout' | 'connection' | 'network' | 'server';

// The methods under which waits are kept.
export type ReadMethod = 'resolve' | 'history' | 'changes' | 'by_id' | 'download';

export interface ChannelReader {
  resolve(name: string): Promise<Read<Channel>>;
  // Posts with ids above `after`, the lowest first.
  history(channel: Channel, after: string, limit: number): Promise<Read<HistoryPage>>;
  // Left out: it cannot tell changes; ingest looks by `history` and finds edits and deletions by an audit.
  changes?(channel: Channel, mark: string, limit: number): Promise<Read<Changes>>;
  // What is left of these ids; the others are gone. Left out: an audit reads the tail by `history`.
  byId?(channel: Channel, ids: readonly string[]): Promise<Read<readonly ReadPost[]>>;
  // A piece of a file, from that byte on, as long as one answer has it. Left out: it gives no files.
  download?(reference: string, offset: number): Promise<Read<MediaPiece>>;
  close(): Promise<void>;
}

export interface ReaderKind {
  // `mtproto`, `page`, `updates`: as callers name it; `title`: as people read it, after "read by".
  readonly kind: string;
  readonly title?: string;
  // One connection for each account; null: no account is needed.
  open(account: ReaderAccount | null): Promise<ChannelReader>;
  // Its posts come by themselves, as updates do: it is never asked.
  readonly isPushed?: true;
  // It has an account of its own, by the settings: none has to log in.
  readonly hasOwnAccount?: true;
  // It reads with accounts that the gateway sends with, those whose credential this takes, and each source says with
  // which: what an account may see is its own. The session of such an account is its credential. Left out: it has
  // accounts of its own, or needs none.
  readsWith?(credential: string): boolean;
  // Makes a session of someone's answers; left out: no account is needed.
  logIn?(questions: LoginQuestions): Promise<LoginOutcome>;
}

// What a person is asked, in this order, and again where the answer was wrong.
export interface LoginQuestions {
  phone(): Promise<string>;
  // What the platform has sent to it.
  code(): Promise<string>;
  // Asked only of accounts that have one.
  password(hint: string | null): Promise<string>;
}

export type LoginOutcome =
  // `session` is a secret: for the vault alone.
  | {
      readonly kind: 'logged_in';
      readonly id: string;
      readonly name: string;
      readonly session: string;
    }
  | Exclude<Read<never>, { readonly kind: 'read' }>;

export interface ReaderAccount {
  readonly id: string;
  // What the vault keeps of it.
  readonly session: string;
}
