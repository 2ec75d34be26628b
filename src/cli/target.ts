// What several commands ask of a person: for whom, and how long.

import type { PlatformDefinition } from '../platforms/definition.ts';
import { PLATFORM_DEFAULT, PLATFORMS } from '../platforms/registry.ts';
import type { Client } from './client.ts';
import { WrongUsage } from './io.ts';

const TRIAL_TOKEN = PLATFORM_DEFAULT.sample.credential;

export function secondsOf(flag: string, text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new WrongUsage(`${flag} = ${text}: expected a number of seconds`);
}

// Of the platform, when the gateway knows just one. Where accounts need no credential, one is there before anyone has
// named it.
export async function onlyAccount(client: Client, platform: string): Promise<string> {
  const definitions: readonly PlatformDefinition[] = PLATFORMS;
  const named = definitions.find(({ name }) => name === platform)?.accountDefault;
  if (named !== undefined) return named;
  const answer = (await client.call('GET', '/v1/accounts')) as { accounts: { id: string }[] };
  const accounts = answer.accounts.filter(({ id }) => id.startsWith(`${platform}:`));
  const [first, ...others] = accounts;
  if (first !== undefined && others.length === 0) return first.id;
  const known = accounts.map(({ id }) => id).join(', ');
  throw new WrongUsage(
    first === undefined
      ? `the gateway knows no account yet: name one with --account TOKEN (${TRIAL_TOKEN} to try it out)`
      : `which account? Name one with --account: ${known}`,
  );
}
