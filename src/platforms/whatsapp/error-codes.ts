// Every error code of the Cloud API that a message can meet, and what is right to do about it; `stop` is for what no
// message of the number can pass until a person has done something. Where each is known from: docs/use/whatsapp.md.
// Codes of calls, of making templates and flows and of running groups are not here: nothing that is queued meets them.

import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';
import type { WhatsappReason } from './reasons.ts';

export type Handling =
  // The message is dead: a repeat would be refused again.
  | { readonly kind: 'dead'; readonly reason: WhatsappReason }
  // Not carried out, and may go better soon.
  | { readonly kind: 'retry' }
  // Nobody can tell whether it was.
  | { readonly kind: 'unknown' }
  // Too many: of the pair, or of the number. Each further refusal waits `growth` times longer.
  | {
      readonly kind: 'wait';
      readonly scope: 'chat' | 'account';
      readonly waitMs: number;
      readonly growth: number;
    }
  // The number is closed for an hour, then one message looks whether it is open again.
  | { readonly kind: 'stop' };

export const STOP_MS = 3_600_000;

const RETRY: Handling = { kind: 'retry' };
const STOP: Handling = { kind: 'stop' };
const UNKNOWN: Handling = { kind: 'unknown' };
const dead = (reason: WhatsappReason): Handling => ({ kind: 'dead', reason });
const wait = (scope: 'chat' | 'account', waitMs: number, growth: number): Handling => ({
  kind: 'wait',
  scope,
  waitMs,
  growth,
});

const CODES: ReadonlyMap<number, Handling> = new Map([
  // The token.
  [0, dead(ACCOUNT_REFUSED)],
  [190, dead(ACCOUNT_REFUSED)],
  // What the app may do: until somebody grants it, nothing of the number goes.
  [3, STOP],
  [10, STOP],
  [131005, STOP],

  // Too many.
  [4, wait('account', 30_000, 2)],
  [80007, wait('account', 30_000, 2)],
  [130429, wait('account', 1000, 2)],
  [131056, wait('chat', 1000, 4)],
  [133016, wait('account', 30_000, 2)],
  // Of the Graph API as a whole, and of operations on groups.
  [17, wait('account', 30_000, 2)],
  [341, wait('account', 30_000, 2)],
  [613, wait('account', 30_000, 2)],
  [131208, wait('account', 30_000, 2)],

  // The number or its business: deleted, quality, policy, payment, registration.
  [33, STOP],
  [368, STOP],
  [131031, STOP],
  [131037, STOP],
  [131042, STOP],
  [131044, STOP],
  [131045, STOP],
  [131048, STOP],
  [131064, STOP],
  [133000, STOP],
  [133005, STOP],
  [133006, STOP],
  [133007, STOP],
  [133008, STOP],
  [133009, STOP],
  [133010, STOP],
  [133015, STOP],

  // For a while.
  [1, UNKNOWN],
  [2, RETRY],
  [131000, RETRY],
  [131016, RETRY],
  [131057, RETRY],
  [133004, RETRY],
  // The number is moved or upgraded.
  [2494100, RETRY],

  // The user; 130403 is one whom the business has blocked.
  [130403, dead('undeliverable')],
  [130472, dead('experiment')],
  [130497, dead('country_restricted')],
  [131021, dead('own_number')],
  [131026, dead('undeliverable')],
  [131030, dead('not_listed')],
  // Nobody fetched it for too long.
  [131043, dead('undeliverable')],
  [131047, dead('template_needed')],
  [131049, dead('marketing_capped')],
  [131050, dead('opted_out')],
  // Groups: with nobody else in it, not there for this number, suspended.
  [131020, dead('undeliverable')],
  [131041, dead('undeliverable')],
  [131207, dead('undeliverable')],

  // The message.
  [100, dead('bad_request')],
  [506, dead('bad_request')],
  [131001, dead('bad_request')],
  [131002, dead('bad_request')],
  [131006, dead('bad_request')],
  [131008, dead('bad_request')],
  [131009, dead('bad_request')],
  [131051, dead('unsupported')],
  [131052, dead('media_refused')],
  [131053, dead('media_refused')],
  [131055, dead('bad_request')],
  // The recipient cannot be named by that id; the key that was given is not the recipient's.
  [131062, dead('bad_request')],
  [137000, dead('bad_request')],
  [131063, dead('template_refused')],
  [132000, dead('template_refused')],
  [132001, dead('template_refused')],
  [132005, dead('template_refused')],
  [132007, dead('template_refused')],
  [132008, dead('template_refused')],
  [132012, dead('template_refused')],
  [132015, dead('template_paused')],
  [132016, dead('template_paused')],
  [132018, dead('template_refused')],
  [132068, dead('template_paused')],
  [132069, dead('template_paused')],
  // Of marketing messages: no such message, a template that is still on its way there, one that did not get there.
  [134100, dead('bad_request')],
  [134101, RETRY],
  [134102, dead('template_refused')],
  // Messages that ask for a payment, whose terms nobody has accepted: the others go on.
  [134011, dead('bad_request')],
  [135000, dead('bad_request')],
]);

const PERMISSIONS_FROM = 200;
const PERMISSIONS_TO = 299;

// null: nobody knows the code.
export function handlingOf(code: number): Handling | null {
  if (code >= PERMISSIONS_FROM && code <= PERMISSIONS_TO) return STOP;
  return CODES.get(code) ?? null;
}

export function knownCodes(): number[] {
  return [...CODES.keys()];
}
