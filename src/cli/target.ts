// What several commands ask of a person: for whom, and how long.

import type { Client } from './client.ts';
import { WrongUsage } from './io.ts';

export function secondsOf(flag: string, text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new WrongUsage(`${flag} = ${text}: expected a number of seconds`);
}

// Of the platform, when the gateway knows just one.
// A terminal needs no token, so its first one is there before anyone has named it.
export async function onlyAccount(client: Client, platform: string): Promise<string> {
  if (platform === 'terminal') return 'terminal:local';
  const answer = (await client.call('GET', '/v1/accounts')) as { accounts: { id: string }[] };
  const accounts = answer.accounts.filter(({ id }) => id.startsWith(`${platform}:`));
  const [first, ...others] = accounts;
  if (first !== undefined && others.length === 0) return first.id;
  const known = accounts.map(({ id }) => id).join(', ');
  throw new WrongUsage(
    first === undefined
      ? 'the gateway knows no account yet: name one with --account TOKEN (1:sandbox to try it out)'
      : `which account? Name one with --account: ${known}`,
  );
}
