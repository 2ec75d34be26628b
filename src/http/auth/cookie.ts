// The page's session in the browser: one cookie that no script can read and no other site can use.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_MS } from '../../keys/keys.ts';

const NAME = 'sluice_session';

export function sessionIdOf({ headers }: FastifyRequest): string | null {
  const { cookie } = headers;
  if (cookie === undefined) return null;
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value !== undefined && value !== '') return value;
  }
  return null;
}

export function setSession(request: FastifyRequest, reply: FastifyReply, id: string): void {
  const age = Math.floor(SESSION_MS / 1000);
  reply.header('set-cookie', cookieOf(request, id, age));
}

export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', cookieOf(request, '', 0));
}

// Behind a proxy that ends TLS, its header tells. Whoever forges it only makes the cookie harder to use.
function cookieOf({ headers }: FastifyRequest, value: string, ageS: number): string {
  const isSecure = headers['x-forwarded-proto'] === 'https';
  const always = `${NAME}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${ageS}`;
  return isSecure ? `${always}; Secure` : always;
}
