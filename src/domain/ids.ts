// Public ids. A store draws a random tag when it is made; a delivery's id is `<tag>-<number>`.
// So an id costs no column and no index, ids sort by acceptance, and an id of another store
// (an older data folder, another node's spill) is recognised instead of naming the wrong message.

const ID = /^([0-9a-z]{5})-([0-9a-z]{1,11})$/;

export function formatId(tag: string, seq: number): string {
  return `${tag}-${seq.toString(36)}`;
}

export function parseId(tag: string, id: string): number | null {
  const match = ID.exec(id);
  if (match === null || match[1] !== tag) return null;
  const seq = Number.parseInt(match[2]!, 36);
  return Number.isSafeInteger(seq) && seq > 0 ? seq : null;
}

// The platform's id of a message that is not sent yet: its delivery's number, below zero. No platform uses such ids,
// they fit into 32 bits as long as a store has taken fewer than two thousand million deliveries, and no table is
// needed to know what they mean, also after a restart.
export function provisionalId(seq: number): number {
  return -seq;
}

// null: not a provisional id.
export function seqOfProvisional(id: unknown): number | null {
  const number = typeof id === 'string' && /^-\d+$/.test(id) ? Number(id) : id;
  return typeof number === 'number' && Number.isSafeInteger(number) && number < 0 ? -number : null;
}

// How accounts are named: `<platform>:<the platform's own id>`. A platform may have hosts beside its real one (the
// built-in simulator is its `sandbox`); their accounts are `<platform>:<host>-<id>`. Real ids of such a platform begin
// with a digit, so the id of an account tells its host, and no two hosts share one.

// The host that the built-in simulator of a platform is.
export const SANDBOX = 'sandbox';

// Why nothing of such an account goes where the simulator is switched off; also the code of that refusal.
export const SANDBOX_OFF = 'sandbox_off';

// Why nothing goes of an account that is not known any more.
export const ACCOUNT_GONE = 'account_gone';

export type AccountId = `${string}:${string}`;

// Text from outside: an account is named, whether or not there is one.
export function parseAccountId(text: string): AccountId | null {
  return /^[^:]+:./s.test(text) ? (text as AccountId) : null;
}

export function accountId(platform: string, host: string, id: string): AccountId {
  return host === '' ? `${platform}:${id}` : `${platform}:${host}-${id}`;
}

export function isSandboxAccount(account: AccountId): boolean {
  return account.startsWith(`${SANDBOX}-`, account.indexOf(':') + 1);
}

// As the platform knows it: without the platform's name, and without the host's.
export function ownIdOf(account: AccountId): string {
  const id = account.slice(account.indexOf(':') + 1);
  return isSandboxAccount(account) ? id.slice(SANDBOX.length + 1) : id;
}

export function platformOf(account: AccountId): string {
  return account.slice(0, account.indexOf(':'));
}

// Virtual tokens look like a platform's own and speak for one of its accounts. What they begin with tells one, valid or
// not: none of them is ever shown to the platform, and all that are not valid go the same way.

export const VIRTUAL = 'sluice';

export function isVirtualToken(token: string): boolean {
  return token.startsWith(VIRTUAL, token.indexOf(':') + 1);
}

// The id of a message as a platform tells it. It is searched for, and an index takes no text of any length: what is no
// id of any platform is none.
export const MESSAGE_ID_CHARS_MAX = 512;

export function messageIdIn(value: unknown): string | null {
  const id = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return id === '' || id.length > MESSAGE_ID_CHARS_MAX ? null : id;
}
