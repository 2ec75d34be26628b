// Failed logins per address. Whoever fails often is told to wait, longer each time; a right key or link is admitted all
// the same, so nobody can lock out its owner, not even from the same address (a proxy, an office). Keys are drawn from
// so many, or so long, that trying them is hopeless at any rate; the wait is there to make the trying visible and slow.

import { isIPv6 } from 'node:net';

export interface ThrottleBounds {
  // So many failures are answered at once.
  readonly freeFailures: number;
  readonly firstWaitMs: number;
  readonly waitMsMax: number;
  readonly addressesMax: number;
}

const LOGIN_BOUNDS: ThrottleBounds = {
  freeFailures: 10,
  firstWaitMs: 1000,
  waitMsMax: 900_000,
  addressesMax: 10_000,
};

interface Failures {
  count: number;
  lastAt: number;
}

export class LoginThrottle {
  readonly #bounds: ThrottleBounds;
  // Insertion order is the order of the last failure.
  readonly #byNetwork = new Map<string, Failures>();

  constructor(bounds: ThrottleBounds = LOGIN_BOUNDS) {
    this.#bounds = bounds;
  }

  // Counts a failure; how long to wait before the next try, 0: not at all.
  failed(address: string, now: number): number {
    const { freeFailures, firstWaitMs, waitMsMax, addressesMax } = this.#bounds;
    const network = networkOf(address);
    const known = this.#byNetwork.get(network);
    const isRecent = known !== undefined && now - known.lastAt < waitMsMax;
    const count = (isRecent ? known.count : 0) + 1;
    this.#byNetwork.delete(network);
    this.#byNetwork.set(network, { count, lastAt: now });
    if (this.#byNetwork.size > addressesMax) {
      const [oldest] = this.#byNetwork.keys();
      this.#byNetwork.delete(oldest!);
    }
    return count <= freeFailures
      ? 0
      : Math.min(waitMsMax, firstWaitMs * 2 ** (count - freeFailures - 1));
  }

  succeeded(address: string): void {
    this.#byNetwork.delete(networkOf(address));
  }
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

// One subscriber has a whole /64 of IPv6.
export function networkOf(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const bare = address.split('%', 1)[0]!;
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : IPV6_GROUPS - before.length - after.length;
  const groups = [...before, ...new Array<string>(zeros).fill('0'), ...after];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  if (part === '') return [];
  // An IPv4 address at the end takes the place of two groups.
  return part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
