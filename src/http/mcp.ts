// /mcp: the Model Context Protocol over HTTP, for agents with a key. What a tool does is done by calls of this
// gateway's own REST with that key, so that its role, its bounds, its rate and the audit log hold for agents, too.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { answerMcp, type CallRest } from '../mcp/mcp.ts';
import { request as ask } from '../system/http/undici.ts';
import { jsonOrUndefined } from '../system/json.ts';
import { viewer } from './auth/access.ts';
import type { HttpParts } from './context.ts';
import { refuse } from './problem.ts';
import { group, type Route, withOptions } from './route.ts';

const BODY_BYTES_MAX = 1_000_000;
const CALL_MS_MAX = 90_000;
// Each may be a call of REST, and all of a request are made at once.
const MESSAGES_MAX = 20;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'example', version: '1' },
  },
};

const POST: Route<HttpParts> = {
  method: 'POST',
  url: '/mcp',
  access: viewer('open'),
  tag: 'gateway',
  summary: 'Model Context Protocol: the tools send, stream, status, explain and dead_letters',
  headers: { Accept: 'application/json, text/event-stream' },
  body: Type.Object({}, { additionalProperties: true, description: 'A request of the protocol' }),
  bodyBytesMax: BODY_BYTES_MAX,
  answers: {
    200: Type.Object({}, { additionalProperties: true, description: 'The protocol’s answer' }),
    202: null,
  },
  examples: {
    'a client introduces itself': {
      headers: { accept: 'application/json, text/event-stream' },
      body: INITIALIZE,
      status: 200,
    },
  },
  handler: (_options, request, reply) => answer(request, reply),
};

export const MCP_ROUTES = group<HttpParts>([POST], withOptions);

async function answer(request: FastifyRequest, reply: FastifyReply) {
  const key = request.headers.authorization;
  // A page's cookie is no key: a site must not make a browser speak for an agent.
  if (key === undefined) return refuse(reply, 'unauthorized');
  if (Array.isArray(request.body) && request.body.length > MESSAGES_MAX) {
    return refuse(reply, 'invalid_message', `At most ${MESSAGES_MAX} messages at once.`);
  }
  const { status, headers, body } = await answerMcp(
    new Request('http://localhost/mcp', {
      method: 'POST',
      // What is answered is JSON, whatever else a client would take.
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
    }),
    request.body,
    restOf(request, key),
  );
  if (status >= 400) return refuse(reply, 'invalid_message', messageOf(body));
  return reply.code(status).headers(headers).send(body);
}

// The protocol's own words for what is wrong with a request.
function messageOf(body: string): string {
  const said = jsonOrUndefined(body) as { error?: { message?: unknown } } | undefined;
  const message = said?.error?.message;
  return typeof message === 'string' ? message : 'It is no request of the protocol.';
}

// To the address that the request came to, under the name that it called it by.
function restOf(request: FastifyRequest, key: string): CallRest {
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return async (method, path, body) => {
    const answered = await ask(`http://${host}:${localPort}${path}`, {
      method,
      headers: {
        authorization: key,
        ...(request.headers.host === undefined ? {} : { host: request.headers.host }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: CALL_MS_MAX,
      bodyTimeout: CALL_MS_MAX,
    });
    return { status: answered.statusCode, value: await answered.body.json() };
  };
}
