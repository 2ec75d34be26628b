// What the routes of ingest need of the gateway.

import type { AccountHealth, Ingest, LoginNow, LoginQuestion } from '../../ingest/ingest.ts';

export interface IngestDesk {
  readonly service: Pick<
    Ingest,
    | 'add'
    | 'list'
    | 'get'
    | 'dead'
    | 'pause'
    | 'resume'
    | 'configure'
    | 'run'
    | 'remove'
    | 'health'
    | 'changes'
    | 'media'
    | 'tally'
    | 'store'
  >;
  // By which sources can be read here.
  readonly kinds: readonly string[];
  // Those of them that read with an account the gateway sends with.
  readonly sending: readonly SendingKind[];
  // Whether a source is read with it.
  readsWith(account: string): boolean;
  // What is posted to webhooks is signed with it.
  readonly signingSecret: string;
  accounts(): Promise<readonly ReaderAccountView[]>;
  // Its session goes into the vault; false: nobody logs in to that kind.
  saveAccount(account: NewReaderAccount): Promise<boolean>;
  removeAccount(kind: string, id: string): Promise<boolean>;
  readonly logins: LoginDesk;
}

export interface SendingKind {
  readonly kind: string;
  readonly platform: string;
  // After "read by".
  readonly title: string;
  // Of an account that is known here.
  canRead(account: string): boolean;
}

// Someone answers what a platform asks; the session that comes of it is kept as `saveAccount` does.
export interface LoginDesk {
  // That accounts log in to here.
  readonly kinds: readonly string[];
  // null: as many as may be are under way. Of a kind that is in `kinds`.
  begin(kind: string, phone: string): Promise<LoginNow | null>;
  // null: there is no such login, or no more.
  answer(id: string, question: LoginQuestion, text: string): Promise<LoginNow | null>;
  end(id: string): boolean;
}

export interface ReaderAccountView extends AccountHealth {
  // As a person calls it; null: it has no name.
  readonly name: string | null;
}

export interface NewReaderAccount {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly session: string;
}
