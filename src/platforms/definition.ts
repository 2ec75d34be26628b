// What is known of a platform before it is opened: its name, its settings, how its credentials look. The configuration,
// the log and the accounts are made from it; the platform's own code is loaded when it is opened, because every command
// of the command line reads the settings and only the gateway speaks to a platform.

import type { Setting, SettingValues } from '../config/setting-row.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Clock } from '../system/clock.ts';
import type { Transport } from '../system/http/transport.ts';
import type { CredentialRules, FileSource, Platform, Warn } from './platform.ts';

export type SettingRows = Readonly<Record<string, Setting<unknown>>>;

export interface PlatformDefinition<Rows extends SettingRows = SettingRows> {
  readonly name: string;
  // Its rows of the table of settings, by their keys in code; none if there is nothing to set.
  readonly settings: Rows;
  // What no single row can see.
  relate?(settings: SettingValues<Rows>): readonly Contradiction<Rows>[];
  readonly credentials: CredentialRules;
  // The account that is meant where none is named; left out: its accounts need a credential, so none is.
  readonly accountDefault?: string;
  // What stands for it in the examples of the documentation; left out: none is about it.
  readonly sample?: PlatformSample;
  open(parts: PlatformParts<SettingValues<Rows>>): Promise<Platform>;
}

// Examples are run by the tests, so what they name has to be there, or be made by naming it.
export interface PlatformSample {
  // An id of an account, and the credential that makes it.
  readonly account: AccountId;
  readonly credential: string;
  // An update, and the header that proves that the platform posts it.
  readonly secretHeader: string;
  readonly update: Readonly<Record<string, unknown>>;
  // A call of its own API; left out: it is served to nobody.
  readonly dropIn?: {
    readonly url: string;
    readonly params: Readonly<Record<string, string>>;
    readonly body: Readonly<Record<string, unknown>>;
  };
}

export interface Contradiction<Rows extends SettingRows> {
  readonly key: keyof Rows & string;
  readonly expected: string;
}

// What a platform is opened with.
export interface PlatformParts<Settings = Readonly<Record<string, unknown>>> {
  readonly settings: Settings;
  readonly clock: Clock;
  // Pooled connections to a base URL; the platform closes them with itself.
  connect(baseUrl: string): Transport;
  // The wire of its simulator in this process; null: it has none, or the sandbox is off.
  readonly sandbox: Transport | null;
  // Where uploaded files are read from; `reusesFiles`: one that the platform already has is not sent again.
  readonly files: FileSource;
  readonly reusesFiles: boolean;
  readonly warn: Warn;
  // Nobody but this machine can call the gateway.
  readonly isLoopback: boolean;
}
