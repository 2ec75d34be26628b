// Live output in memory: the specification, every question answered by looking at everything.

import { unreachable } from '../../system/assert.ts';
import type { StoredStream, StreamCommand } from '../ports/streams.ts';
import type { MemoryDisk } from './disk.ts';

export function runStreams({ streams }: MemoryDisk, command: StreamCommand): unknown {
  switch (command.kind) {
    case 'save': {
      const { id, account, endedAt, text, record } = command;
      const before = streams.get(id);
      // It stays its account's.
      const of = before?.account ?? account;
      if ((before?.endedAt ?? null) === null) {
        streams.set(id, { id, account: of, endedAt, text, record });
      }
      return null;
    }
    case 'get':
      return streams.get(command.id) ?? null;
    case 'open': {
      const open = [...streams.values()].filter(({ endedAt }) => endedAt === null);
      const after = open.filter(({ id }) => id > command.after);
      return after.sort(byId).slice(0, command.max);
    }
    case 'prune': {
      const { endedBefore, max } = command;
      const old = [...streams.values()].filter(
        ({ endedAt }) => (endedAt ?? Infinity) < endedBefore,
      );
      const pruned = old.sort((a, b) => a.endedAt! - b.endedAt! || byId(a, b)).slice(0, max);
      for (const { id } of pruned) streams.delete(id);
      return pruned.length;
    }
    default:
      return unreachable(command);
  }
}

function byId(a: StoredStream, b: StoredStream): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
