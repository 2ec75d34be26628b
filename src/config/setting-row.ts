// One setting: what a row of the table says. Its names in the three places it can be set follow from
// `name`: `section.group_mpm` in the file, SLUICE_GROUP_MPM as a variable, --group-mpm as a flag.

import { STRATEGIES, type Strategy } from '../domain/live.ts';
import { baseUrl, choice, type SettingReader } from './parse.ts';

export interface Setting<T> {
  // Where it stands in the file: `section.name`. The name is unique over all sections.
  readonly section: SettingSection;
  readonly name: string;
  readonly reader: SettingReader<T>;
  readonly initial: T;
  readonly meaning: string;
  readonly unit: string | null;
  // Shown as *** and never taken from a flag (the process list shows flags).
  readonly secret: boolean;
  // May be set apart for one account.
  readonly perAccount: boolean;
  // Why setting it is refused for now; null: it works.
  readonly refused: string | null;
  // A variable of another system that means the same; null: there is none.
  readonly alias: VariableAlias | null;
}

export interface VariableAlias {
  readonly variable: string;
  // What its values mean here; left out: the same.
  readonly values?: Readonly<Record<string, string>>;
}

// What a table of rows comes to.
export type SettingValues<Rows> = {
  readonly [K in keyof Rows]: Rows[K] extends Setting<infer T> ? T : never;
};

// What they are where nobody sets them.
export function initialsOf<Rows extends Readonly<Record<string, Setting<unknown>>>>(rows: Rows) {
  const initials = Object.entries(rows).map(([key, { initial }]) => [key, initial]);
  return Object.freeze(Object.fromEntries(initials)) as SettingValues<Rows>;
}

export const SECTIONS = {
  server: 'Where the gateway listens and what it writes',
  limits: 'The platforms’ limits as they are believed to be; what is learned can only lower them',
  queue: 'Bounds: at each of them a call is refused with a code, nothing grows silently',
  broadcast: 'One message to many chats',
  schedule: 'Who goes next',
  live: 'Live output: how growing texts are shown',
  retry: 'When it fails',
  inbound: 'What comes in: updates, and how the app gets them',
  ingest: 'Channels that are followed',
  retention: 'How long what ended is kept',
} as const;
export type SettingSection = keyof typeof SECTIONS;

export function variableOf(setting: Setting<unknown>): string {
  return `SLUICE_${setting.name.toUpperCase()}`;
}

// null: a secret, which must not stand on a command line.
export function flagOf(setting: Setting<unknown>): string | null {
  return setting.secret ? null : `--${setting.name.replaceAll('_', '-')}`;
}

interface Notes {
  readonly meaning: string;
  readonly unit?: string;
  readonly secret?: boolean;
  readonly perAccount?: boolean;
  readonly refused?: string;
  readonly alias?: VariableAlias;
}

export function row<T>(
  section: SettingSection,
  name: string,
  reader: SettingReader<T>,
  initial: T,
  notes: Notes,
) {
  const { meaning, unit = null, secret = false, perAccount = false } = notes;
  const { refused = null, alias = null } = notes;
  const setting: Setting<T> = {
    section,
    name,
    reader,
    initial,
    meaning,
    unit,
    secret,
    perAccount,
    refused,
    alias,
  };
  return setting;
}

const AS_ELSEWHERE = '; the strategies are those of the other platforms';

// Rows that every platform has under its own name: where it is, and how live output is paced there.
export function upstream(platform: string, address: string, meaning: string) {
  return row('server', `${platform}_api`, baseUrl(), address, { meaning });
}

export function pacing(platform: string, initial: Strategy, title: string, more = AS_ELSEWHERE) {
  const notes = { meaning: `How live output is paced on ${title}${more}`, perAccount: true };
  return row<Strategy>('live', `qos_${platform}`, choice(STRATEGIES), initial, notes);
}

export function limit<T>(name: string, reader: SettingReader<T>, initial: T, notes: Notes) {
  return row('limits', name, reader, initial, { ...notes, perAccount: true });
}
