// /v1/keys: API keys and virtual tokens, made, listed, replaced and revoked. A secret is in one answer, that of its
// making, and nowhere else.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../accept/problems.ts';
import { showTime, showTimeOrNull } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type Problem, problem } from '../../domain/errors.ts';
import { parseAccountId } from '../../domain/ids.ts';
import { type KeyView, type NewKeyRequest, NO_SCOPE } from '../../keys/keys.ts';
import { NEVER } from '../../store/ports/keys.ts';
import type { HttpParts } from '../context.ts';
import { nextPage, SAMPLE } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';
import { ADMIN_ACTS, ADMIN_READS } from './access.ts';
import {
  ApiKey,
  type ApiKeyRequest,
  checkApiKey,
  checkKeyRotation,
  checkKeysQuery,
  checkVirtualToken,
  KeyAnswer,
  KeyRotation,
  KeysQuery,
  NewKeyAnswer,
  VirtualToken,
  type VirtualTokenRequest,
} from './schema.ts';

const SHOWN_WHEN_LEFT_OUT = 50;
const SHOWN_MAX = 1000;

interface ById {
  Params: { id: string };
}

const params = { id: SAMPLE.key };

const LIST: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/keys',
  access: ADMIN_READS,
  tag: 'keys',
  summary: 'API keys and virtual tokens, without their secrets',
  query: KeysQuery,
  answers: { 200: Type.Object({ keys: Type.Array(KeyAnswer), next: nextPage }) },
  examples: { 'the first few': { query: { limit: '5' }, status: 200 } },
  handler: list,
};

const CREATE: Route<HttpParts> = {
  method: 'POST',
  url: '/v1/keys',
  access: ADMIN_ACTS,
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
  handler: create,
};

const REVOKE: Route<HttpParts> = {
  method: 'DELETE',
  url: '/v1/keys/:id',
  access: ADMIN_ACTS,
  tag: 'keys',
  summary: 'Revoke it, at once',
  answers: { 200: KeyAnswer },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ guards }, request: FastifyRequest<ById>, reply) => {
    const revoked = await guards.keyring.revoke(request.params.id);
    return revoked === null ? refuse(reply, 'unknown_key') : showKey(revoked);
  },
};

const ROTATE: Route<HttpParts> = {
  method: 'POST',
  url: '/v1/keys/:id/rotate',
  access: ADMIN_ACTS,
  tag: 'keys',
  summary: 'The same key with another secret; the old one ends, at once or after `grace`',
  body: KeyRotation,
  answers: { 201: NewKeyAnswer },
  examples: { 'with ten minutes to change it': { params, body: { grace: 600 }, status: 201 } },
  handler: rotate,
};

export const KEY_ROUTES = group<HttpParts>([LIST, CREATE, REVOKE, ROTATE], withOptions);

async function list(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  const { query } = request;
  if (!checkKeysQuery.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkKeysQuery, query)));
  }
  const max = Math.min(SHOWN_MAX, Math.max(1, Number(query.limit ?? SHOWN_WHEN_LEFT_OUT)));
  const keys = await options.guards.keyring.list({ after: query.cursor ?? '', max });
  return { keys: keys.map(showKey), next: keys.length === max ? keys.at(-1)!.id : null };
}

async function create(options: HttpParts, request: FastifyRequest, reply: FastifyReply) {
  const wanted = read(options, request.body);
  if ('code' in wanted) return sendProblem(reply, wanted);
  const created = await options.guards.keyring.create(wanted);
  if (created.kind === 'full') return full(reply, created.keysMax);
  request.subject = `${created.key.id} ${wanted.kind} ${wanted.name} ${wanted.role}`;
  return sendCreated(reply, created);
}

async function rotate(options: HttpParts, request: FastifyRequest<ById>, reply: FastifyReply) {
  const body = request.body === undefined ? {} : request.body;
  if (!checkKeyRotation.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkKeyRotation, body)));
  }
  const { id } = request.params;
  const created = await options.guards.keyring.rotate(id, (body.grace ?? 0) * 1000);
  if (created === null) return refuse(reply, 'unknown_key');
  if (created.kind === 'full') return full(reply, created.keysMax);
  request.subject = `${id} to ${created.key.id}`;
  return sendCreated(reply, created);
}

function sendCreated(reply: FastifyReply, { key, secret }: { key: KeyView; secret: string }) {
  return reply
    .code(201)
    .header('cache-control', 'no-store')
    .send({ ...showKey(key), secret });
}

function full(reply: FastifyReply, keysMax: number) {
  return refuse(reply, 'keys_full', `${keysMax} keys are valid.`);
}

function read(options: HttpParts, body: unknown): NewKeyRequest | Problem {
  const isVirtual = typeof body === 'object' && body !== null && 'virtual' in body;
  if (isVirtual) {
    if (checkVirtualToken.Check(body)) return virtual(options, body);
    return invalid('invalid_message', troublesOf(checkVirtualToken, body));
  }
  if (!checkApiKey.Check(body)) return invalid('invalid_message', troublesOf(checkApiKey, body));
  const { name, role } = body;
  const named = body.accounts?.map(parseAccountId) ?? null;
  const accounts = named?.filter((id) => id !== null) ?? null;
  if (accounts?.length !== named?.length) {
    return wrong('/accounts', '`<platform>:<id>`, as GET /v1/accounts');
  }
  const scope = { ...scopeOf(body), accounts };
  return { kind: 'key', name, role, scope, expiresAt: expiryOf(options, body) };
}

// Those that have virtual tokens.
function servedPlatforms({ platforms }: HttpParts): string[] {
  return [...platforms.values()].flatMap(({ name, credentials }) =>
    credentials.virtual === undefined ? [] : [name],
  );
}

// It only ever sends, and for one account that is known.
function virtual(options: HttpParts, body: VirtualTokenRequest): NewKeyRequest | Problem {
  const { name, account } = body;
  const id = parseAccountId(account);
  const known = id === null ? null : options.accounts.get(id);
  if (known === null) return problem('unknown_account', '');
  const served = servedPlatforms(options);
  if (!served.includes(known.platform)) {
    return wrong('/account', `an account of ${served.join(', ')}`);
  }
  const scope = { ...scopeOf(body), accounts: [known.id] };
  return { kind: 'virtual', name, role: 'sender', scope, expiresAt: expiryOf(options, body) };
}

function scopeOf(body: ApiKeyRequest | VirtualTokenRequest) {
  const { chats = null, methods = null, perMinute = null, priority = null } = body;
  return { ...NO_SCOPE, chats, methods, perMinute, priority };
}

function expiryOf({ clock }: HttpParts, { ttl }: { ttl?: number }): number | null {
  return ttl === undefined ? null : clock.now() + ttl * 1000;
}

function wrong(path: string, expected: string): Problem {
  return invalid('invalid_message', [{ path, expected }]);
}

function showKey(key: KeyView) {
  const { id, kind, name, role, active, createdAt, expiresAt, usedAt, scope } = key;
  return {
    id,
    kind,
    name,
    role,
    active,
    createdAt: showTime(createdAt),
    expiresAt: expiresAt === NEVER ? null : showTime(expiresAt),
    usedAt: showTimeOrNull(usedAt),
    scope,
  };
}
