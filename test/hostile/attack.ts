// One attack: the bytes that go over a socket, and what may be answered to them.

import { intBelow, pick, type Random } from '../../src/system/random.ts';

export interface Attack {
  readonly kind: string;
  readonly bytes: Buffer;
  // refused: a 4xx, and nothing comes of it. harmless: it may be taken, but reaches only what its sender may reach.
  readonly verdict: 'refused' | 'harmless';
  // Exactly these, where the platform or the catalogue leaves no choice.
  readonly statuses?: readonly number[];
  // platform: a refusal in the platform's own shape; problem: one of the catalogue; bare: HTTP itself refuses.
  readonly words: 'platform' | 'problem' | 'bare';
}

// What the attackers know and hold.
export interface Arms {
  readonly token: string;
  // Virtual tokens: bound to `ownChats`, and to one method.
  readonly chatToken: string;
  readonly methodToken: string;
  readonly account: string;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly ownChats: readonly number[];
  // Somebody else's: no bounded key may touch it.
  readonly otherChat: number;
  readonly others: Readonly<
    Record<'queued' | 'dead' | 'stream' | 'broadcast' | 'audience', string>
  >;
}

export type KeyName =
  | 'admin'
  | 'viewer'
  | 'sender'
  | 'operator'
  | 'chatSender'
  | 'chatOperator'
  | 'methodSender'
  | 'methodOperator'
  | 'accountOperator'
  | 'revoked';

export type Maker = (random: Random, arms: Arms) => Attack;

export const HOST = 'Host: 127.0.0.1';
export const CLOSE = 'Connection: close';
export const JSON_TYPE = 'Content-Type: application/json';
export const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
export const PARTS_TYPE = 'Content-Type: multipart/form-data; boundary=bbb';
// A harmless call may be taken: nobody waits for it, so that the attack is not paced by the platform's limits.
export const ASYNC = 'Prefer: respond-async';
const DEPTH_MAX = 64;

export function head(verb: string, path: string, headers: readonly string[] = []): string {
  return [`${verb} ${path} HTTP/1.1`, HOST, CLOSE, ...headers, '', ''].join('\r\n');
}

export function request(
  verb: string,
  path: string,
  headers: readonly string[],
  body: string | Buffer,
): Buffer {
  const bytes = Buffer.from(body as string);
  const length = `Content-Length: ${bytes.length}`;
  return Buffer.concat([Buffer.from(head(verb, path, [...headers, length])), bytes]);
}

export function refused(
  words: Attack['words'],
  kind: string,
  bytes: Buffer | string,
  ...statuses: number[]
): Attack {
  const verdict = 'refused';
  const exactly = statuses.length === 0 ? {} : { statuses };
  return { kind, bytes: Buffer.from(bytes as string), verdict, words, ...exactly };
}

export function harmless(words: Attack['words'], kind: string, bytes: Buffer | string): Attack {
  return { kind, bytes: Buffer.from(bytes as string), verdict: 'harmless', words };
}

export function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => intBelow(random, 256)));
}

export const form = (fields: Readonly<Record<string, string>>) =>
  new URLSearchParams(fields).toString();

export function parts(fields: Readonly<Record<string, string>>): string {
  const each = Object.entries(fields).map(
    ([name, value]) =>
      `--bbb\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${each.join('')}--bbb--\r\n`;
}

// JSON that is nested deeper than anybody reads; `inside` stands at its bottom.
export function nested(random: Random, inside = '1'): string {
  const depth = pick(random, [DEPTH_MAX + 1, 100, 500, 2500, 20_000, 100_000]);
  const [open, close] = pick(random, [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const);
  const isCut = intBelow(random, 8) === 0;
  return open.repeat(depth) + inside + (isCut ? '' : close.repeat(depth));
}

// Names of members that Sluice keeps for itself.
export function reserved(random: Random): Record<string, unknown> {
  const name = pick(random, ['sluice:parts', 'sluice:files', 'sluice:', 'sluice:future']);
  const id = 'a'.repeat(43);
  const value = pick<unknown>(random, [
    null,
    1,
    'x',
    [],
    [null],
    {},
    { photo: null },
    { photo: { id, name: '', type: '', size: 1 } },
    { n: -1, of: 1e9 },
  ]);
  return { [name]: value };
}
