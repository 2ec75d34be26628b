// Readers of single settings. A value comes as text (variable, flag) or as YAML made it (file); a reader
// gives back the value, or in plain words what would have been right. It never throws.

import { isAddressRange } from '../system/http/address-range.ts';

export type ParsedSetting<T> =
  | { kind: 'ok'; value: T }
  // `at`: the part of it that is wrong, where a setting has parts.
  | {
      kind: 'wrong';
      expected: string;
      at?: { readonly path: string; readonly value: unknown };
    };

export interface SettingReader<T> {
  // What would be right, for messages and for the docs.
  readonly expected: string;
  read(raw: unknown): ParsedSetting<T>;
}

// What a drop-in call that must wait gets.
export type Wait = { kind: 'hold' } | { kind: 'async' } | { kind: 'seconds'; seconds: number };

const ok = <T>(value: T): ParsedSetting<T> => ({ kind: 'ok', value });
const NUMBER = /^-?\d+(\.\d+)?$/;

export function text(expected = 'a text'): SettingReader<string> {
  return reader(expected, (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined));
}

export function integer(bounds: { min: number; max: number }): SettingReader<number> {
  return reader(`a whole number from ${bounds.min} to ${bounds.max}`, (raw) => {
    const value = numberOf(raw);
    return value !== undefined && Number.isInteger(value) && within(value, bounds)
      ? value
      : undefined;
  });
}

export function decimal(bounds: { min: number; max: number }): SettingReader<number> {
  return reader(`a number from ${bounds.min} to ${bounds.max}`, (raw) => {
    const value = numberOf(raw);
    return value !== undefined && within(value, bounds) ? value : undefined;
  });
}

export function choice<const C extends string>(choices: readonly C[]): SettingReader<C> {
  return reader(`one of ${choices.join(', ')}`, (raw) => choices.find((each) => each === raw));
}

export function onOff(): SettingReader<boolean> {
  return reader('on or off', (raw) => {
    if (raw === true || raw === 'on' || raw === 'true') return true;
    return raw === false || raw === 'off' || raw === 'false' ? false : undefined;
  });
}

// The word `none` (and YAML's null) stands for "no such limit".
export function orNone<T>(inner: SettingReader<T>): SettingReader<T | null> {
  return reader(`${inner.expected}, or none`, (raw) => {
    if (raw === null || raw === 'none') return null;
    const parsed = inner.read(raw);
    return parsed.kind === 'ok' ? parsed.value : undefined;
  });
}

export function baseUrl(protocols: readonly string[] = ['http:', 'https:']): SettingReader<string> {
  const expected = `an address such as ${protocols.at(-1)}//host, without a query`;
  return reader(expected, (raw) => {
    if (typeof raw !== 'string' || !URL.canParse(raw)) return undefined;
    const url = new URL(raw);
    const right = protocols.includes(url.protocol) && url.search === '' && url.hash === '';
    return right ? raw.replace(/(?<!\/)\/+$/, '') : undefined;
  });
}

// With user, password and options, as the database's own programs take it; it holds a secret.
export function databaseAddress(): SettingReader<string> {
  const expected = 'an address such as postgres://user:password@host/database';
  return reader(expected, (raw) => {
    if (typeof raw !== 'string' || !URL.canParse(raw)) return undefined;
    const { protocol, pathname } = new URL(raw);
    const right = ['postgres:', 'postgresql:'].includes(protocol) && pathname.length > 1;
    return right ? raw : undefined;
  });
}

// A whole address, with path and query; it is shown, so it must not hold a password.
export function address(): SettingReader<string> {
  return reader('an address such as https://host/path, without user and password', (raw) => {
    if (typeof raw !== 'string' || !URL.canParse(raw)) return undefined;
    const { protocol, username, password } = new URL(raw);
    const right = ['http:', 'https:'].includes(protocol) && username === '' && password === '';
    return right ? raw : undefined;
  });
}

// host:port, an IPv6 address in brackets.
export function hostAndPort(): SettingReader<string> {
  return reader('a host and a port such as 127.0.0.1:443', (raw) => {
    if (typeof raw !== 'string' || !URL.canParse(`tcp://${raw}`)) return undefined;
    const { host, port } = new URL(`tcp://${raw}`);
    return port !== '' && host === raw ? raw : undefined;
  });
}

// What tokens are encrypted with: as many characters as 16 random bytes have in hex.
export const SECRET_CHARS_MIN = 32;

export function longSecret(): SettingReader<string> {
  const expected = `a secret of at least ${SECRET_CHARS_MIN} characters, as \`openssl rand -base64 32\` makes one`;
  return reader(expected, (raw) =>
    typeof raw === 'string' && raw.length >= SECRET_CHARS_MIN ? raw : undefined,
  );
}

// As platforms take it that send it along in a header.
export function webhookSecret(): SettingReader<string> {
  return reader('1 to 256 of A-Z, a-z, 0-9, _ and -', (raw) =>
    typeof raw === 'string' && /^[\w-]{1,256}$/.test(raw) ? raw : undefined,
  );
}

// Of Standard Webhooks: 24 to 64 bytes.
export function signingSecret(): SettingReader<string> {
  return reader('whsec_ and 24 to 64 bytes in base64', (raw) => {
    if (typeof raw !== 'string' || !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(raw))
      return undefined;
    const { length } = Buffer.from(raw.slice('whsec_'.length), 'base64');
    return length >= 24 && length <= 64 ? raw : undefined;
  });
}

// A list in the file; separated by commas in a variable or flag.
export function names(expected: string): SettingReader<readonly string[]> {
  return reader(expected, (raw) => {
    const items = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : raw;
    if (!Array.isArray(items)) return undefined;
    const kept = items.filter((item) => item !== '');
    return kept.every((item) => typeof item === 'string') ? Object.freeze(kept) : undefined;
  });
}

export function addressRanges(): SettingReader<readonly string[]> {
  const expected = 'a list of addresses or ranges such as 10.0.0.0/8';
  const list = names(expected);
  return reader(expected, (raw) => {
    const parsed = list.read(raw);
    return parsed.kind === 'ok' && parsed.value.every(isAddressRange) ? parsed.value : undefined;
  });
}

export function wait(bounds: { min: number; max: number }): SettingReader<Wait> {
  return reader(`hold, async, or seconds from ${bounds.min} to ${bounds.max}`, (raw) => {
    if (raw === 'hold' || raw === 'async') return { kind: raw };
    const seconds = numberOf(raw);
    if (seconds === undefined || !within(seconds, bounds)) return undefined;
    return { kind: 'seconds', seconds };
  });
}

function reader<T>(expected: string, value: (raw: unknown) => T | undefined): SettingReader<T> {
  return {
    expected,
    read(raw) {
      const found = value(raw);
      return found === undefined ? { kind: 'wrong', expected } : ok(found);
    },
  };
}

function numberOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  return typeof raw === 'string' && NUMBER.test(raw.trim()) ? Number(raw) : undefined;
}

function within(value: number, bounds: { min: number; max: number }): boolean {
  return value >= bounds.min && value <= bounds.max;
}
