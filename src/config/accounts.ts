// The `accounts:` of sluice.yaml. A token may stand in the file, in another file or in a variable;
// wherever it stands, it never appears in a message. Where a platform has no tokens, the name takes the place.

import type { PlatformDefinition } from '../platforms/definition.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { isRecord } from './file.ts';
import { type SettingProblem, unknownName } from './problem.ts';
import type { Settings } from './settings.ts';
import { apply, type Given, keyOfName, relate, settingOf } from './values.ts';

export interface AccountEntry {
  // How the operator calls it; unique.
  readonly name: string;
  readonly platform: string;
  readonly token: string;
  // The gateway's settings with the account's own over them.
  readonly settings: Settings;
}

export interface TokenSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  // Throws when the file cannot be read.
  readText(path: string): string;
}

const FIELDS = ['name', 'platform', 'token', 'token_file', 'token_env', 'settings'];
const TOKEN_FIELDS = ['token', 'token_file', 'token_env'];
const NAMES = PLATFORMS.map(({ name }) => name);

export function readAccounts(
  entries: readonly unknown[],
  base: Settings,
  sources: TokenSources,
  problems: SettingProblem[],
): AccountEntry[] {
  const accounts: AccountEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const where = `accounts[${index}]`;
    const account = isRecord(entry) ? readAccount(entry, where, base, sources, problems) : null;
    if (!isRecord(entry)) problems.push(wrong(where, 'expected platform, token, settings'));
    if (account === null) continue;
    if (accounts.some((other) => other.name === account.name)) {
      problems.push(wrong(`${where}.name`, 'expected a name of its own', account.name));
    }
    accounts.push(account);
  }
  return accounts;
}

// Variables that accounts take their token from; they may begin with SLUICE_.
export function tokenVariables(entries: readonly unknown[]): string[] {
  return entries.flatMap((entry) =>
    isRecord(entry) && typeof entry.token_env === 'string' ? [entry.token_env] : [],
  );
}

function readAccount(
  entry: Record<string, unknown>,
  where: string,
  base: Settings,
  sources: TokenSources,
  problems: SettingProblem[],
): AccountEntry | null {
  const before = problems.length;
  for (const field of Object.keys(entry)) {
    if (!FIELDS.includes(field)) problems.push(unknownName(`${where}.${field}`, namesIn(where)));
  }
  const platform = PLATFORMS.find(({ name }) => name === entry.platform);
  if (platform === undefined) {
    const expected = `expected one of ${NAMES.join(', ')}`;
    problems.push(wrong(`${where}.platform`, expected, entry.platform));
  }
  const token =
    platform === undefined ? null : readCredential(platform, entry, where, sources, problems);
  const settings = readOverrides(entry.settings, where, base, problems);
  if (problems.length > before || platform === undefined || token === null) return null;
  const name = typeof entry.name === 'string' ? entry.name : platform.credentials.claimedId(token);
  return Object.freeze({ name, platform: platform.name, token, settings });
}

function readCredential(
  platform: PlatformDefinition,
  entry: Record<string, unknown>,
  where: string,
  sources: TokenSources,
  problems: SettingProblem[],
): string | null {
  return platform.credentials.byName
    ? readName(platform, entry, where, problems)
    : readToken(platform, entry, where, sources, problems);
}

function readToken(
  { credentials }: PlatformDefinition,
  entry: Record<string, unknown>,
  where: string,
  sources: TokenSources,
  problems: SettingProblem[],
): string | null {
  const given = TOKEN_FIELDS.filter((field) => entry[field] !== undefined);
  const field = given[0];
  const source = field === undefined ? undefined : entry[field];
  if (given.length !== 1 || field === undefined || typeof source !== 'string') {
    problems.push(wrong(where, 'expected one of token, token_file, token_env'));
    return null;
  }
  const token = tokenFrom(field, source, sources)?.trim();
  if (token === undefined || token === '') {
    problems.push(wrong(`${where}.${field}`, 'the token cannot be read from there', source));
    return null;
  }
  if (!credentials.isShaped(token)) {
    problems.push(wrong(`${where}.${field}`, `expected ${credentials.expected}`));
    return null;
  }
  return token;
}

function readName(
  { name: platform, credentials }: PlatformDefinition,
  { name, ...entry }: Record<string, unknown>,
  where: string,
  problems: SettingProblem[],
): string | null {
  for (const field of TOKEN_FIELDS.filter((each) => entry[each] !== undefined)) {
    problems.push(wrong(`${where}.${field}`, `a ${platform} needs no token, only a name`));
  }
  if (typeof name === 'string' && credentials.isShaped(name)) return name;
  problems.push(wrong(`${where}.name`, `expected ${credentials.expected}`, name));
  return null;
}

function tokenFrom(field: string, source: string, sources: TokenSources): string | undefined {
  if (field === 'token') return source;
  if (field === 'token_env') return sources.env[source];
  try {
    return sources.readText(source);
  } catch {
    return undefined;
  }
}

function readOverrides(
  raw: unknown,
  where: string,
  base: Settings,
  problems: SettingProblem[],
): Settings {
  if (raw === undefined || raw === null) return base;
  if (!isRecord(raw)) {
    problems.push(wrong(`${where}.settings`, 'expected settings, `name: value`'));
    return base;
  }
  const given: Given[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const key = keyOfName(name);
    const path = `${where}.settings.${name}`;
    if (key === null) problems.push(unknownName(path, []));
    else if (!settingOf(key).perAccount) {
      problems.push(wrong(path, 'holds for the whole gateway; set it outside of accounts'));
    } else given.push({ key, raw: value, name: path });
  }
  const { settings } = apply(base, given, problems);
  relate(settings, `${where}.settings.`, problems);
  return settings;
}

function wrong(name: string, expected: string, value?: unknown): SettingProblem {
  return { name, value: value === undefined ? null : JSON.stringify(value), expected };
}

function namesIn(where: string): string[] {
  return FIELDS.map((field) => `${where}.${field}`);
}
