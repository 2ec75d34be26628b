// A call that the app put into its answer to an update, made a delivery of the account. The key makes it one, however
// often the app is asked. Nobody waits for it; what is wrong with it is for the log, as the app is told nothing.

import { prepare, submit } from '../accept/submit.ts';
import { bodyOf, NO_FILES } from '../domain/body.ts';
import { HOLDERS } from '../domain/idempotency.ts';
import { type AccountId, platformOf } from '../domain/ids.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import type { WebhookCall } from '../updates/updates.ts';
import type { HttpParts } from './context.ts';

// Refusals that pass: the update goes to the app again, later.
const PASSING = ['queue_full', 'disk_full', 'journal_failed', 'shutting_down'];

export async function makeWebhookCall(
  options: HttpParts,
  account: AccountId,
  call: WebhookCall,
  key: string,
): Promise<'done' | 'later'> {
  try {
    return await makeCall(options, account, call, key);
  } catch (error) {
    if (error instanceof JournalUnavailable) return 'later';
    // Asked again, the app would say the same: its chat would wait for ever.
    const about = { platform: platformOf(account), account, method: call.method };
    options.log.error({ err: error, ...about }, 'request failed');
    return 'done';
  }
}

async function makeCall(
  options: HttpParts,
  account: AccountId,
  { method, params }: WebhookCall,
  key: string,
): Promise<'done' | 'later'> {
  const platform = options.platforms.get(platformOf(account))!;
  const described = platform.calls.describe(method, params);
  const refused = (why: string) =>
    options.log.warn(
      { platform: platformOf(account), account, method, why },
      'the app answered an update with a call that failed',
    );
  if (described.kind === 'invalid') {
    refused(described.detail);
    return 'done';
  }
  if (described.kind === 'pass') {
    const credential = options.accounts.credentialOf(account) ?? '';
    const { deadlineMs } = options.settings;
    const body = bodyOf(params, NO_FILES);
    const reply = await platform.wire.send({
      credential,
      method: described.method,
      body,
      deadlineMs,
    });
    if (reply.kind !== 'answered' || reply.status !== 200) refused('the platform did not do it');
    return 'done';
  }
  const to = { platform: platform.name, account, chat: described.chat };
  const message = { to, method: described.method, body: params, idempotencyKey: key };
  const headers = { correlation: null, idempotencyKey: null, holder: HOLDERS.app };
  const submitted = await submit(options, await prepare(options, message, headers));
  if (submitted.kind === 'accepted') return 'done';
  const { code, detail } = submitted.problem;
  if (PASSING.includes(code)) return 'later';
  refused(`${code}: ${detail}`);
  return 'done';
}
