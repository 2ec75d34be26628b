// What /openapi.json says of keys, logins and the audit log.

import Type from 'typebox';
import {
  ApiKey,
  AuditQuery,
  KeyAnswer,
  KeyRotation,
  KeysQuery,
  Login,
  Me,
  NewKeyAnswer,
  VirtualToken,
} from './key-schema.ts';

export const KEY_OPERATIONS = {
  'GET /v1/keys': {
    summary: 'API keys and virtual tokens, without their secrets',
    query: KeysQuery,
    answers: { 200: Type.Object({ keys: Type.Array(KeyAnswer) }) },
  },
  'POST /v1/keys': {
    summary: 'Make a key or a virtual token; its secret is in this answer only',
    body: { anyOf: [ApiKey, VirtualToken] },
    answers: { 201: NewKeyAnswer },
  },
  'DELETE /v1/keys/{id}': { summary: 'Revoke it, at once', answers: { 200: KeyAnswer } },
  'POST /v1/keys/{id}/rotate': {
    summary: 'The same key with another secret; the old one ends, at once or after `grace`',
    body: KeyRotation,
    answers: { 201: NewKeyAnswer },
  },
  'GET /v1/audit': { summary: 'What operators did, newest first', query: AuditQuery },
  'GET /v1/me': {
    summary: 'Whose key it is; for the page also what its changes must carry',
    answers: { 200: Me },
  },
  'GET /login': {
    summary: 'The one-time link that the start prints: logs a browser in and leads to the page',
    query: Type.Object({ token: Type.Optional(Type.String()) }),
    answers: { 303: {} },
  },
  'POST /login': {
    summary: 'Log in to the page with a key; answers with its cookie',
    body: Login,
    answers: { 200: Me },
  },
  'POST /logout': { summary: 'End the page’s session', answers: { 204: {} } },
};
