// Where a request comes from, as far as bounds are counted by it: the peer of its connection, or what a trusted proxy
// says of it. Nobody else's X-Forwarded-For is believed: with it a stranger would have as many addresses as it likes.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

// The machine itself: whatever runs on it is not bounded by where it comes from. So is a proxy on it that is not
// trusted: bounding that would bound everybody.
const OWN = ['127.0.0.1', '::1', ''];
const MAPPED = '::ffff:';
// What one line of an IPv6 provider's customer has.
const IPV6_GROUPS_KEPT = 4;
const IPV6_GROUPS = 8;

export class Peers {
  // null: none is trusted.
  readonly #proxies: BlockList | null;

  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.length === 0 ? null : blockListOf(trustedProxies);
  }

  // '': the machine itself, which is not counted.
  addressOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const peer = plain(socket.remoteAddress ?? '');
    if (this.#proxies === null || !this.#isProxy(peer)) return counted(peer);
    const forwarded = headers['x-forwarded-for'];
    const hops = typeof forwarded === 'string' ? forwarded.split(',') : [];
    for (const hop of hops.reverse()) {
      const address = plain(hop.trim());
      if (isIP(address) === 0) break;
      if (!this.#isProxy(address)) return counted(address);
    }
    return counted(peer);
  }

  // Its connections carry the requests of many.
  isProxy(remoteAddress: string | undefined): boolean {
    return this.#proxies !== null && this.#isProxy(plain(remoteAddress ?? ''));
  }

  #isProxy(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#proxies!.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function plain(address: string): string {
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
}

function counted(address: string): string {
  if (OWN.includes(address)) return '';
  return address.includes(':') ? networkOf(address) : address;
}

// The first half of an IPv6 address, written out.
function networkOf(address: string): string {
  const [before = '', after = ''] = address.split('%', 1)[0]!.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === '' ? [] : after.split(':');
  const zeros = Math.max(0, IPV6_GROUPS - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  return `${groups.slice(0, IPV6_GROUPS_KEPT).join(':')}::/64`;
}
