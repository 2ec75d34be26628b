// The wall before everything: the name the gateway was called by, and the site that had a browser call it. A web page
// must not reach a loopback gateway through a name of its own, which is DNS rebinding, nor by an address in an <img>.

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
const ANY_ADDRESS = ['0.0.0.0', '::'];

export function isLoopback(host: string): boolean {
  return LOOPBACK_NAMES.includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

// A browser says so in every request to a trustworthy address (HTTPS, or loopback): a page of another origin made it,
// be it another port of the same host (`same-site`). `none`: the person did, by typing it or from outside the browser.
// Programs say nothing.
export function isOfAnotherSite(headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

// Somebody follows a link: the whole tab shows the answer, and the other site learns nothing of it.
export function isNavigation({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

export class HostWall {
  readonly #names: ReadonlySet<string>;
  readonly #configured: ReadonlySet<string>;
  // Bound to every address: any address is its own. A name must still be configured.
  readonly #anyAddress: boolean;

  constructor(host: string, allowedHosts: readonly string[]) {
    const bound = host.toLowerCase();
    this.#configured = new Set(allowedHosts.map((name) => name.toLowerCase()));
    this.#names = new Set([...LOOPBACK_NAMES, bound, ...this.#configured]);
    this.#anyAddress = ANY_ADDRESS.includes(bound);
  }

  admits(headers: FastifyRequest['headers']): boolean {
    const host = headers.host ?? '';
    if (!this.#isOurs(nameOf(host))) return false;
    const { origin } = headers;
    return origin === undefined || this.#isSameOrigin(origin, host);
  }

  #isOurs(name: string): boolean {
    return this.#names.has(name) || (this.#anyAddress && isIP(name) !== 0);
  }

  #isSameOrigin(origin: string, host: string): boolean {
    const scheme = origin.indexOf('://');
    if (scheme < 0) return false;
    const from = origin.slice(scheme + 3).toLowerCase();
    return from === host.toLowerCase() || this.#configured.has(nameOf(from));
  }
}

// Without the port; an IPv6 address without its brackets.
function nameOf(host: string): string {
  if (host.startsWith('[')) return host.slice(1, Math.max(1, host.indexOf(']'))).toLowerCase();
  const colon = host.lastIndexOf(':');
  return (colon < 0 ? host : host.slice(0, colon)).toLowerCase();
}
