// How accounts are named: `<platform>:<the platform's own id>`. A platform may have hosts beside its real one (the
// built-in simulator is its `sandbox`); their accounts are `<platform>:<host>-<id>`. Real ids of such a platform begin
// with a digit, so the id of an account tells its host, and no two hosts share one.

// The host that the built-in simulator of a platform is.
export const SANDBOX = 'sandbox';

// Why nothing of such an account goes where the simulator is switched off; also the code of that refusal.
export const SANDBOX_OFF = 'sandbox_off';

export function accountId(platform: string, host: string, id: string): string {
  return host === '' ? `${platform}:${id}` : `${platform}:${host}-${id}`;
}

export function isSandboxAccount(account: string): boolean {
  return account.startsWith(`${SANDBOX}-`, account.indexOf(':') + 1);
}

export function platformOf(account: string): string {
  const colon = account.indexOf(':');
  return colon < 0 ? account : account.slice(0, colon);
}
