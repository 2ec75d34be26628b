// Live output in memory: the specification, every question answered by looking at everything.

import { unreachable } from '../../system/assert.ts';
import { type Kept, NOT_OWNER } from '../ports/ownership.ts';
import type { SaveStream, StoredStream, StreamCommand } from '../ports/streams.ts';
import type { MemoryDisk } from './disk.ts';
import { isOwner } from './owners.ts';

export function runStreams(disk: MemoryDisk, command: StreamCommand): unknown {
  const { streams } = disk;
  switch (command.kind) {
    case 'save':
      return save(disk, command);
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

function save(disk: MemoryDisk, { epoch, ...command }: SaveStream): Kept {
  const { id, account, endedAt, text, record } = command;
  const before = disk.streams.get(id);
  const isOwn = before === undefined || before.account === account;
  if (!isOwner(disk, { account, epoch }) || !isOwn) return NOT_OWNER;
  if ((before?.endedAt ?? null) === null) {
    disk.streams.set(id, { id, account, endedAt, text, record });
  }
  return { kind: 'kept' };
}

function byId(a: StoredStream, b: StoredStream): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
