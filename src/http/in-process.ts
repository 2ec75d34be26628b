// A dialect's call from inside the process: the same route, walls and answers as over HTTP, without a socket.
// So a library user and a client elsewhere can never be told different things.

import type { FastifyInstance } from 'fastify';
import { faultOf } from '../system/json.ts';

const PATHS: Readonly<Record<string, (token: string, method: string) => string>> = {
  telegram: (token, method) => `/bot${encodeURIComponent(token)}/${encodeURIComponent(method)}`,
};

export interface InProcessCall {
  readonly platform: string;
  readonly token: string;
  readonly method: string;
  // A form carries files.
  readonly params: Readonly<Record<string, unknown>> | FormData;
  // Ends the waiting, never the delivery.
  readonly signal?: AbortSignal | undefined;
}

// The platform's own answer, or Sluice's in the platform's words.
export async function callInProcess(app: FastifyInstance, call: InProcessCall): Promise<unknown> {
  const { platform, token, method, params, signal } = call;
  const fault = params instanceof FormData ? null : faultOf(params);
  if (fault !== null) {
    return { ok: false, error_code: 400, description: `Bad Request: it is ${fault.detail}` };
  }
  const { body, type } = await encode(params);
  const answer = await app.inject({
    method: 'POST',
    url: PATHS[platform]!(token, method),
    headers: { host: 'localhost', 'content-type': type },
    payload: body,
    ...(signal === undefined ? {} : { signal }),
  });
  return answer.json();
}

async function encode(params: InProcessCall['params']): Promise<{ body: Buffer; type: string }> {
  if (!(params instanceof FormData)) {
    return { body: Buffer.from(JSON.stringify(params)), type: 'application/json' };
  }
  const encoded = new Response(params);
  const body = Buffer.from(await encoded.arrayBuffer());
  return { body, type: encoded.headers.get('content-type') ?? '' };
}

// Of a form only what is text: files are not what decides where a call goes.
export function textParams(params: InProcessCall['params']): Readonly<Record<string, unknown>> {
  if (!(params instanceof FormData)) return params;
  return Object.fromEntries([...params].filter(([, value]) => typeof value === 'string'));
}
