// With which account a channel is read, where that is one the gateway sends with: named by its id or its token, and
// known here from then on. What an account may see is its own, so none is chosen for the caller, unless there is but
// one.

import { identityProblem, invalid } from '../../accept/problems.ts';
import type { Problem } from '../../domain/errors.ts';
import type { IngestOptions } from './options.ts';
import type { SendingKind } from './port.ts';

// null: any of those that are logged in.
export async function readerAccountOf(
  options: IngestOptions,
  kind: string,
  asked: string | null,
): Promise<string | null | Problem> {
  const sending = options.ingest.sending.find((each) => each.kind === kind);
  if (sending === undefined) return asked;
  if (asked === null) return onlyOneOf(options, sending);
  const identity = await options.accounts.resolve(sending.platform, asked);
  if (identity.kind !== 'known') return identityProblem(identity);
  return sending.canRead(identity.id) ? identity.id : wrong(`one that can read: ${sending.title}`);
}

function onlyOneOf({ accounts }: IngestOptions, { platform, canRead }: SendingKind) {
  const able = accounts.list().filter((each) => each.platform === platform && canRead(each.id));
  if (able.length === 1) return able[0]!.id;
  return wrong(
    able.length === 0
      ? 'an account to read with, or its token: none that could is known here'
      : 'the account to read with: several are known here',
  );
}

function wrong(expected: string): Problem {
  return invalid('invalid_message', [{ path: '/account', expected }]);
}
