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
} from '../auth/schema.ts';
import { nextPage, type Operations, SAMPLE, text, time } from './operation.ts';

const params = { id: SAMPLE.key };
const Audit = Type.Object({
  entries: Type.Array(
    Type.Object({
      at: time,
      by: text,
      key: Type.Unsafe({ type: ['string', 'null'], description: 'The id of the key it was' }),
      action: text,
      target: text,
      result: text,
    }),
  ),
  next: nextPage,
});

export const KEY_OPERATIONS: Operations = {
  'GET /v1/keys': {
    tag: 'keys',
    summary: 'API keys and virtual tokens, without their secrets',
    query: KeysQuery,
    answers: { 200: Type.Object({ keys: Type.Array(KeyAnswer), next: nextPage }) },
    examples: { 'the first few': { query: { limit: '5' }, status: 200 } },
  },
  'POST /v1/keys': {
    tag: 'keys',
    summary: 'Make a key or a virtual token; its secret is in this answer only',
    body: { anyOf: [ApiKey, VirtualToken] },
    answers: { 201: NewKeyAnswer },
    examples: {
      'a key that may look': {
        body: { name: 'dashboard', role: 'viewer', ttl: 7776000 },
        status: 201,
      },
      'a key that may send, for one account': {
        body: { name: 'newsroom', role: 'sender', accounts: [SAMPLE.account], perMinute: 60 },
        status: 201,
      },
      'a virtual token': {
        body: {
          name: 'helper',
          virtual: true,
          account: SAMPLE.account,
          methods: ['sendMessage'],
          chats: ['42'],
        },
        status: 201,
      },
    },
  },
  'DELETE /v1/keys/{id}': {
    tag: 'keys',
    summary: 'Revoke it, at once',
    answers: { 200: KeyAnswer },
    examples: { 'one of them': { params, status: 200 } },
  },
  'POST /v1/keys/{id}/rotate': {
    tag: 'keys',
    summary: 'The same key with another secret; the old one ends, at once or after `grace`',
    body: KeyRotation,
    answers: { 201: NewKeyAnswer },
    examples: { 'with ten minutes to change it': { params, body: { grace: 600 }, status: 201 } },
  },
  'GET /v1/audit': {
    tag: 'keys',
    summary: 'What operators did, newest first',
    query: AuditQuery,
    answers: { 200: Audit },
    examples: { 'the newest': { query: { limit: '5' }, status: 200 } },
  },
  'GET /v1/me': {
    tag: 'keys',
    summary: 'Whose key it is; for the page also what its changes must carry',
    answers: { 200: Me },
    examples: { 'my own': { status: 200 } },
  },
  'POST /v1/login-links': {
    tag: 'keys',
    summary: 'Make a link that logs one browser in to the page, once, with the role of the key',
    answers: {
      201: Type.Object({
        path: Type.String({ description: 'To be put behind the gateway’s address' }),
        expiresInS: Type.Integer(),
      }),
    },
    examples: { 'a new one': { status: 201 } },
  },
  'GET /login': {
    tag: 'keys',
    summary: 'A one-time link: logs a browser in and leads to the page',
    query: Type.Object({
      token: Type.Optional(Type.String()),
      confirmed: Type.Optional(
        Type.String({ description: 'set by the button that is shown to whoever followed a link' }),
      ),
    }),
    answers: { 303: null },
    examples: { 'without a link': { status: 303 } },
  },
  'POST /login': {
    tag: 'keys',
    summary: 'Log in to the page with a key that has no bounds; answers with its cookie',
    body: Login,
    answers: { 200: Me },
    examples: { 'with a key': { body: { key: SAMPLE.adminKey }, status: 200 } },
  },
  'POST /logout': {
    tag: 'keys',
    summary: 'End the page’s session',
    answers: { 204: null },
    examples: { 'my own': { status: 204 } },
  },
};
