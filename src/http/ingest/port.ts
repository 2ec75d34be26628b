// What the routes of ingest need of the gateway.

import type { AccountHealth, Ingest } from '../../ingest/ingest.ts';

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
    | 'store'
  >;
  // By which sources can be read here.
  readonly kinds: readonly string[];
  // What is posted to webhooks is signed with it.
  readonly signingSecret: string;
  accounts(): Promise<readonly ReaderAccountView[]>;
  // Its session goes into the vault; false: nobody logs in to that kind.
  saveAccount(account: NewReaderAccount): Promise<boolean>;
  removeAccount(kind: string, id: string): Promise<boolean>;
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
