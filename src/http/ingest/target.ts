// Where new posts of a source go, read once: a webhook's address, or a chat of an account that is known here. A token
// is asked whose it is, as everywhere, and not kept with the source.

import type { Static } from 'typebox';
import { platformFor } from '../../accept/draft.ts';
import { identityProblem, invalid } from '../../accept/problems.ts';
import type { Target } from '../../accept/schema.ts';
import type { Problem } from '../../domain/errors.ts';
import type { ForwardTarget } from '../../ingest/ingest.ts';
import type { IngestOptions } from './options.ts';

export type AskedTarget = { readonly url: string } | Static<typeof Target>;

export async function targetOf(
  options: IngestOptions,
  asked: AskedTarget,
): Promise<ForwardTarget | Problem> {
  if ('url' in asked) return webhookOf(asked.url);
  const platform = platformFor(options, asked);
  if ('code' in platform) return platform;
  const identity = await options.accounts.resolve(platform.name, String(asked.account));
  if (identity.kind !== 'known') return identityProblem(identity);
  const thread = asked.thread === undefined ? null : String(asked.thread);
  return { kind: 'chat', account: identity.id, chat: String(asked.chat), thread };
}

// It is shown, so it must not hold a password.
function webhookOf(url: string): ForwardTarget | Problem {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isHttp = parsed !== null && ['http:', 'https:'].includes(parsed.protocol);
  if (isHttp && parsed.username === '' && parsed.password === '') return { kind: 'webhook', url };
  const expected = 'an address such as https://host/path, without user and password';
  return invalid('invalid_message', [{ path: '/forwardTo/url', expected }]);
}
