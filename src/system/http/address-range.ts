// Ranges of addresses, as people write them, and which of all addresses anybody can reach.

import { BlockList, isIP } from 'node:net';

// An address, or a range such as 10.0.0.0/8.
export function isAddressRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0 || text.split('/').length > 2) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
  );
}

// Those that the registries keep for something else than hosts of the public network (RFC 6890 and its successors), and
// those that carry an address of the other kind within them.
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
];

// One for each kind: a list takes addresses of one for those of the other that hold them.
const special = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const range of SPECIAL) {
  const [address = '', bits = ''] = range.split('/');
  const kind = address.includes(':') ? 'ipv6' : 'ipv4';
  special[kind].addSubnet(address, Number(bits), kind);
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  return !special[kind].check(address, kind);
}
