// Why a try did not end in `sent`: stable codes for dead letters, metrics and alerts, with the sentence the
// documentation and the page show. A code is never renamed and never means two things.

import { ACCOUNT_REFUSED } from '../../domain/outcome.ts';

export const REASONS = {
  // Refused: WhatsApp said no and will say no again.
  [ACCOUNT_REFUSED]: 'WhatsApp refuses the number’s access token: it is wrong, expired or revoked.',
  bad_request: 'WhatsApp refuses the call as it is; the detail says why.',
  country_restricted: 'The business may not write to users of this country.',
  experiment: 'The user takes part in an experiment of Meta’s and gets no marketing messages.',
  marketing_capped: 'The user has had as many marketing messages as Meta allows for now.',
  media_refused: 'WhatsApp cannot fetch, read or accept the file.',
  not_listed: 'A test number writes only to users on its list, and this one is not.',
  opted_out: 'The user does not want marketing messages of this business.',
  own_number: 'The recipient is the sending number itself.',
  template_needed: 'The user has not written for 24 hours: only a template reaches them.',
  template_paused: 'The template is paused or disabled because of its quality.',
  template_refused: 'The template does not exist, or its parameters do not fit it.',
  too_large: 'The request is larger than WhatsApp takes.',
  undeliverable: 'The message cannot be delivered: the user is not on WhatsApp, or cannot get it.',
  unsupported: 'WhatsApp knows no message of this type.',

  // Failed: surely not carried out; tried again.
  not_whatsapp: 'Something on the way answered in WhatsApp’s place (a proxy, a wrong address).',
  unavailable: 'WhatsApp said that it is busy or under maintenance.',
  unsent: 'No connection came about; nothing was written.',

  // Uncertain: written, and nobody knows; a status may tell.
  answer_lost: 'The connection broke after the request was written.',
  answer_timeout: 'The request was written and no answer came before the deadline.',
  answer_unreadable: 'WhatsApp seems to have accepted the call, but its answer cannot be read.',
  upstream_broken: 'WhatsApp’s servers failed; the call may have been carried out.',
} as const satisfies Readonly<Record<string, string>>;

export type WhatsappReason = keyof typeof REASONS;

// The user cannot or does not want to be reached, whatever is sent.
export const UNREACHABLE: readonly WhatsappReason[] = [
  'undeliverable',
  'opted_out',
  'country_restricted',
];
