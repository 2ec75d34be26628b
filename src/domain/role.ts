// What a key may do, each role with all that the ones before it may.

export const ROLES = ['viewer', 'sender', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const RANK: Readonly<Record<Role, number>> = { viewer: 0, sender: 1, operator: 2, admin: 3 };

export function mayAct(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
