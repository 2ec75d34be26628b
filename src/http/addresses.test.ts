import { describe, expect, test } from 'vitest';
import { FLEET_HEADERS } from '../domain/fleet.ts';
import { isAddressRange } from '../system/http/address-range.ts';
import { Peers } from './connections.ts';

function from(remoteAddress: string, forwarded?: string, proxies: readonly string[] = []): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const socket = { remoteAddress } as never;
  return new Peers(proxies).addressOf({ socket, headers });
}

describe('where a request comes from', () => {
  test.each([
    ['203.0.113.5', '203.0.113.5'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
    ['127.0.0.2', '127.0.0.2'],
    // The machine itself is not counted.
    ['127.0.0.1', ''],
    ['::ffff:127.0.0.1', ''],
    ['::1', ''],
    // One customer has a whole network.
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (peer, expected) => {
    expect(from(peer)).toBe(expected);
  });

  test('nobody but a trusted proxy is believed', () => {
    expect(from('203.0.113.5', '198.51.100.1')).toBe('203.0.113.5');
    expect(from('203.0.113.5', '198.51.100.1', ['10.0.0.0/8'])).toBe('203.0.113.5');
    expect(from('10.1.2.3', '198.51.100.1', ['10.0.0.0/8'])).toBe('198.51.100.1');
  });

  test('what stands before the last stranger was said by it, and is not believed', () => {
    const proxies = ['10.0.0.0/8', '127.0.0.1'];
    expect(from('127.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.9', proxies)).toBe('198.51.100.1');
    expect(from('127.0.0.1', 'nonsense', proxies)).toBe('');
    expect(from('10.0.0.1', '10.0.0.2', proxies)).toBe('10.0.0.1');
    expect(from('10.0.0.1', undefined, proxies)).toBe('10.0.0.1');
  });
});

describe('where a request of another node comes from', () => {
  const SECRET = 'the-secret-of-the-fleet';
  const node = (headers: Record<string, string>) => {
    const socket = { remoteAddress: '10.0.0.7' } as never;
    const peers = new Peers(['0.0.0.0/0', '::/0'], SECRET);
    return [peers.isNode({ headers }), peers.addressOf({ socket, headers })];
  };
  const proven = { [FLEET_HEADERS.secret]: SECRET };
  const client = { [FLEET_HEADERS.client]: '203.0.113.5' };

  test('from its caller, as it says; what it asks for itself is not counted', () => {
    expect(node({ ...proven, ...client })).toEqual([true, '203.0.113.5']);
    expect(node(proven)).toEqual([true, '']);
  });

  test('who has no secret of the fleet is not believed', () => {
    expect(node(client)).toEqual([false, '10.0.0.7']);
    expect(node({ ...client, [FLEET_HEADERS.secret]: 'x' })).toEqual([false, '10.0.0.7']);
    const socket = { remoteAddress: '10.0.0.7' } as never;
    const headers = { ...proven, ...client };
    expect(new Peers([]).addressOf({ socket, headers })).toBe('10.0.0.7');
  });
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0', false],
  ['proxy.example', false],
  ['', false],
])('whether %s is an address or a range: %s', (text, expected) => {
  expect(isAddressRange(text)).toBe(expected);
});
