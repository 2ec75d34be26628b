// Audiences in memory: the specification of how they are filled, sealed, named and forgotten.

import { unreachable } from '../../system/assert.ts';
import type { BroadcastCommand, StoredAudience } from '../ports/broadcasts.ts';
import type { AudienceRow, MemoryDisk } from './disk.ts';

export type AudienceCommand = Extract<
  BroadcastCommand,
  { kind: 'open' | 'fill' | 'seal' | 'drop' | 'dropOpen' | 'named' | 'audiences' | 'forget' }
>;

export function runAudiences(disk: MemoryDisk, command: AudienceCommand): unknown {
  const { audiences } = disk.broadcasts;
  const all = [...audiences.values()];
  switch (command.kind) {
    case 'open': {
      if (all.filter(({ state }) => state === 'sealed').length >= command.audiencesMax) return null;
      const id = ++disk.broadcasts.audienceLast;
      const { name, at } = command;
      const made = { id, account: null, name, createdAt: at, fields: [], members: [] };
      audiences.set(id, { ...made, state: 'open' });
      return id;
    }
    case 'fill':
      return fill(audiences.get(command.audience), command.members);
    case 'seal': {
      const audience = audiences.get(command.audience);
      if (audience?.state !== 'open') return null;
      if (audience.name !== null) unname(disk, audience.name);
      Object.assign(audience, { state: 'sealed', fields: [...command.fields] });
      return shown(audience);
    }
    case 'drop': {
      const audience = audiences.get(command.audience);
      if (audience?.state === 'open') audience.state = 'dropped';
      return null;
    }
    case 'dropOpen':
      for (const audience of all) {
        const isLeft = audience.state === 'open' && audience.createdAt < command.before;
        if (isLeft) audience.state = 'dropped';
      }
      return null;
    case 'named': {
      const audience = all.find((one) => one.state === 'sealed' && one.name === command.name);
      return audience === undefined ? null : shown(audience);
    }
    case 'audiences': {
      const named = all.filter(({ state, name }) => state === 'sealed' && name !== null);
      const after = named.filter(({ name }) => name! > command.after);
      after.sort((a, b) => (a.name! < b.name! ? -1 : 1));
      return after.slice(0, command.max).map(shown);
    }
    case 'forget':
      return unname(disk, command.name);
    default:
      return unreachable(command);
  }
}

// Neither a name nor a broadcast holds it.
export function dropUnneeded(disk: MemoryDisk, id: number): void {
  const audience = disk.broadcasts.audiences.get(id);
  if (audience === undefined || audience.name !== null) return;
  const isUsed = [...disk.broadcasts.broadcasts.values()].some((row) => row.audience === id);
  if (!isUsed) audience.state = 'dropped';
}

// Members go before their audience does.
export function sweepAudiences(disk: MemoryDisk, max: number): number {
  const { audiences } = disk.broadcasts;
  let left = max;
  for (const audience of [...audiences.values()]) {
    if (left === 0) break;
    if (audience.state !== 'dropped') continue;
    const gone = Math.min(left, audience.members.length);
    audience.members.length -= gone;
    left -= gone;
    if (left === 0) break;
    audiences.delete(audience.id);
    left -= 1;
  }
  return max - left;
}

function fill(
  audience: AudienceRow | undefined,
  members: readonly { chat: string; fields: string }[],
) {
  if (audience?.state !== 'open') return { added: 0, repeated: 0 };
  const chats = new Set(audience.members.map(({ chat }) => chat));
  let repeated = 0;
  for (const { chat, fields } of members) {
    if (chats.has(chat)) repeated += 1;
    else audience.members.push({ chat, fields });
    chats.add(chat);
  }
  return { added: members.length - repeated, repeated };
}

function unname(disk: MemoryDisk, name: string): boolean {
  for (const audience of disk.broadcasts.audiences.values()) {
    if (audience.state !== 'sealed' || audience.name !== name) continue;
    audience.name = null;
    dropUnneeded(disk, audience.id);
    return true;
  }
  return false;
}

function shown({ id, account, name, fields, createdAt, members }: AudienceRow): StoredAudience {
  return { id, account, name, count: members.length, fields, createdAt };
}
