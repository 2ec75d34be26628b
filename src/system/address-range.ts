// Ranges of addresses, as people write them.

import { isIP } from 'node:net';

// An address, or a range such as 10.0.0.0/8.
export function isAddressRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0 || text.split('/').length > 2) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
  );
}
