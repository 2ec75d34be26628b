// Virtual tokens look like a platform's own and speak for one of its accounts. What they begin with tells one, valid or
// not: none of them is ever shown to the platform, and all that are not valid go the same way.

export const VIRTUAL = 'sluice';

export function isVirtualToken(token: string): boolean {
  return token.startsWith(VIRTUAL, token.indexOf(':') + 1);
}
