// How accounts are named: `<platform>:<the platform's own id>`. A platform may have hosts beside its real one (the
// built-in simulator is Telegram's `sandbox`); their accounts are `<platform>:<host>-<id>`. Real ids of such a platform
// begin with a digit, so the id of an account tells its host, and no two hosts share one.

// What the secret part of a token begins with when it belongs to the built-in simulator.
export const SANDBOX = 'sandbox';

// Why nothing of such an account goes where the simulator is switched off; also the code of that refusal.
export const SANDBOX_OFF = 'sandbox_off';

export function accountId(platform: string, host: string, id: string): string {
  return host === '' ? `${platform}:${id}` : `${platform}:${host}-${id}`;
}

// `1234:sandbox…`: looked for where the secret begins, so a token cannot name a host in its number.
export function isSandboxToken(token: string): boolean {
  return token.startsWith(SANDBOX, token.indexOf(':') + 1) && token.includes(':');
}

export function isSandboxAccount(account: string): boolean {
  return account.startsWith(`${SANDBOX}-`, account.indexOf(':') + 1);
}

// The account that a credential says it is of, whether or not anybody vouches for it: `42:secret` names 42,
// `42:secret/test` the bot of that number on the test servers, and one without a number (a terminal's name) itself.
export function claimedId(credential: string): string {
  const colon = credential.indexOf(':');
  if (colon < 0) return credential;
  const number = credential.slice(0, colon);
  return credential.endsWith('/test') ? `${number}:test` : number;
}

// The bot's number as the platform and its clients know it.
export function botOf(account: string): string {
  const id = account.slice(account.indexOf(':') + 1);
  const bare = isSandboxAccount(account) ? id.slice(SANDBOX.length + 1) : id;
  const colon = bare.indexOf(':');
  return colon < 0 ? bare : bare.slice(0, colon);
}
