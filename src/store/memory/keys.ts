// Keys and the audit log in memory: the specification, every question answered by looking at everything.

import { unreachable } from '../../system/assert.ts';
import type { KeyCommand } from '../ports/keys.ts';
import type { MemoryDisk } from './disk.ts';

export function runKeys({ keys, audit, sessions }: MemoryDisk, command: KeyCommand): unknown {
  switch (command.kind) {
    case 'save': {
      const { key } = command;
      const known = keys.get(key.id) ?? key;
      const active = known.active && key.active;
      const expiresAt = Math.min(known.expiresAt, key.expiresAt);
      keys.set(key.id, { ...key, active, expiresAt });
      return null;
    }
    case 'page': {
      const after = [...keys.values()].filter(({ id }) => id > command.after);
      return after.sort(byId).slice(0, command.max);
    }
    case 'used':
      for (const { id, at } of command.uses) {
        const key = keys.get(id);
        if (key !== undefined) keys.set(id, { ...key, usedAt: at });
      }
      return null;
    case 'prune': {
      const over = [...keys.values()].filter(({ expiresAt }) => expiresAt < command.endedBefore);
      const pruned = over
        .sort((a, b) => a.expiresAt - b.expiresAt || byId(a, b))
        .slice(0, command.max);
      for (const { id } of pruned) keys.delete(id);
      return pruned.length;
    }
    case 'note':
      audit.last += 1;
      audit.entries.push({ ...command.entry, n: audit.last });
      return null;
    case 'log': {
      const { before, max } = command;
      const older = audit.entries.filter(({ n }) => before === null || n < before);
      return older.slice(-max).reverse();
    }
    case 'pruneLog': {
      const { endedBefore, max } = command;
      const old = audit.entries
        .filter(({ at }) => at < endedBefore)
        .sort((a, b) => a.at - b.at || a.n - b.n)
        .slice(0, max);
      audit.entries = audit.entries.filter((entry) => !old.includes(entry));
      return old.length;
    }
    case 'saveSession':
      sessions.set(command.session.hash, command.session);
      return null;
    case 'sessions':
      return [...sessions.values()]
        .filter(({ expiresAt }) => expiresAt > command.at)
        .sort((a, b) => a.expiresAt - b.expiresAt);
    case 'removeSession':
      sessions.delete(command.hash);
      return null;
    case 'pruneSessions': {
      const over = [...sessions.values()].filter((each) => each.expiresAt < command.endedBefore);
      for (const { hash } of over) sessions.delete(hash);
      return over.length;
    }
    default:
      return unreachable(command);
  }
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
