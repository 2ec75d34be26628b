// What can be wrong with a message or a request about one, as problems of the catalogue.

import type { Identity } from '../accounts/accounts.ts';
import { type Problem, problem, type Trouble } from '../domain/errors.ts';
import { formatId, parseId } from '../domain/ids.ts';
import type { Moved, QueueFull } from '../store/ports/delivery.ts';
import { unreachable } from '../system/assert.ts';
import { FULL_RETRY_S } from './context.ts';

export function retryAfterOf({ retryAfterS }: Problem): number {
  return typeof retryAfterS === 'number' ? retryAfterS : FULL_RETRY_S;
}

export function invalid(
  code: 'invalid_message' | 'invalid_query',
  problems: readonly Trouble[],
): Problem {
  return problem(code, problems.map(inWords).join('; '), { problems });
}

function inWords({ path, expected, detail }: Trouble): string {
  return `${path}: ${detail ?? `expected ${expected}`}`;
}

export function fullProblem({ waiting, queueMax, unit, platform, whose }: QueueFull): Problem {
  const what = unit ?? 'deliveries';
  const detail = `${waiting} of ${queueMax} ${what} of ${owner(platform, whose)} wait.`;
  const named = platform === undefined ? {} : { platform };
  return problem('queue_full', detail, { waiting, queueMax, unit: what, ...named });
}

function owner(platform: string | undefined, whose: QueueFull['whose']): string {
  const accounts =
    whose === 'unconfigured' ? 'all accounts that are not configured' : 'all accounts';
  if (platform !== undefined) return `${accounts} of ${platform}`;
  return whose === undefined ? 'this account' : accounts;
}

export function tooOften(waitMs: number): Problem {
  const retryAfterS = Math.ceil(waitMs / 1000);
  return problem('key_rate', `The next call may be made in ${retryAfterS} s.`, { retryAfterS });
}

// What an id in a path says: the delivery's number, or why there is none.
export function readId(tag: string, id: string): number | Problem {
  const seq = parseId(tag, id);
  if (seq !== null) return seq;
  const ofAnotherStore = /^[0-9a-z]{5}-[0-9a-z]{1,11}$/.test(id);
  return problem(
    'not_found',
    ofAnotherStore
      ? `This id was given by another store (an older data folder?); ids of this one begin with ${tag}-.`
      : `This is not the id of a delivery; they look like ${formatId(tag, 46_655)}.`,
  );
}

export function gone(): Problem {
  return problem('not_found', 'No such delivery: it never was, or retention has removed it.');
}

// Why a move by hand was not made; null: it was.
export function moveProblem(moved: Moved): Problem | null {
  switch (moved.kind) {
    case 'moved':
      return null;
    case 'illegal': {
      const { state } = moved;
      return problem('illegal_move', `The delivery is ${state}.`, { state });
    }
    case 'unknown':
      return gone();
    case 'no_body':
      return problem('no_body', '');
    case 'damaged':
      return problem('damaged', '');
    case 'full':
      return fullProblem(moved);
    case 'not_owner':
      return problem('not_owner', '');
    default:
      return unreachable(moved);
  }
}

// Never names what was presented: it may be a token.
export function identityProblem(identity: Exclude<Identity, { kind: 'known' }>): Problem {
  switch (identity.kind) {
    case 'unknown':
      return problem('unknown_account', '');
    case 'unknown_platform':
      return problem('unknown_platform', '');
    case 'off':
      return problem('sandbox_off', '');
    case 'taken':
      return problem(
        'account_refused',
        'In the sandbox a number belongs to the first token that used it: use that token, or another number.',
      );
    case 'refused':
      return problem(
        'account_refused',
        identity.expected === undefined
          ? `The platform said: ${identity.detail}`
          : `It has not the form of a credential there: expected ${identity.expected}.`,
      );
    case 'unreachable':
      return problem('platform_unreachable', identity.detail);
    case 'busy': {
      const { retryAfterS } = identity;
      return problem('token_rate', '', { retryAfterS });
    }
    case 'full':
      return problem('accounts_full', `${identity.accountsMax} accounts are registered.`);
    default:
      return unreachable(identity);
  }
}
