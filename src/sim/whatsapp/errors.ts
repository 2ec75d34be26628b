// Errors as the Graph API answers them and as statuses carry them: a code, a title, and details that say more.

import type { SimAnswer } from '../model.ts';

export interface SimGraphError {
  readonly code: number;
  readonly status: number;
  readonly title: string;
  readonly details: string;
}

const error = (code: number, status: number, title: string, details: string): SimGraphError => ({
  code,
  status,
  title,
  details,
});

export const ERRORS = {
  token: error(190, 401, 'Invalid OAuth access token - Cannot parse access token', ''),
  unknownObject: error(
    100,
    400,
    'Unsupported request. Object does not exist, cannot be loaded due to missing permissions',
    '',
  ),
  throughput: error(
    130429,
    400,
    'Rate limit hit',
    'Message failed to send because there were too many messages sent from this phone number in a short period ' +
      'of time',
  ),
  pair: error(
    131056,
    400,
    '(Business Account, Consumer Account) pair rate limit hit',
    'Message failed to send because there were too many messages sent from this phone number to the same phone ' +
      'number in a short period of time.',
  ),
  spam: error(
    131048,
    400,
    'Spam rate limit hit',
    'Message failed to send because there are restrictions on how many messages can be sent from this phone number.',
  ),
  window: error(
    131047,
    400,
    'Re-engagement message',
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  ),
  undeliverable: error(131026, 400, 'Message undeliverable', 'Message Undeliverable.'),
  locked: error(131031, 403, 'Business Account locked', 'Business Account locked.'),
  unavailable: error(131016, 500, 'Service unavailable', 'A service is temporarily unavailable.'),
  unknownType: error(131051, 400, 'Unsupported message type', 'Message type is not supported.'),
  template: error(132001, 404, 'Template name does not exist in the translation', ''),
} as const;

export function missing(name: string): SimGraphError {
  return error(131008, 400, 'Required parameter is missing', `Parameter '${name}' is mandatory`);
}

export function invalid(details: string): SimGraphError {
  return error(131009, 400, 'Parameter value is not valid', details);
}

export const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json; charset=UTF-8' });

export function refused({ code, status, title, details }: SimGraphError, trace: string): SimAnswer {
  const said = {
    message: `(#${code}) ${title}`,
    type: 'OAuthException',
    code,
    ...(details === '' ? null : { error_data: { messaging_product: 'whatsapp', details } }),
    fbtrace_id: trace,
  };
  return { status, headers: JSON_HEADERS, body: JSON.stringify({ error: said }) };
}

export function answered(body: object): SimAnswer {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

// As a status of a message that was taken and not delivered names it.
export function inStatus({ code, title, details }: SimGraphError): object {
  const href = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';
  return { code, title, message: title, error_data: { details }, href };
}
