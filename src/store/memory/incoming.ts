// What comes in, in memory: the specification, every question answered by looking at everything.

import { unreachable } from '../../system/assert.ts';
import type { IncomingCommand, NewIncoming } from '../ports/updates.ts';
import { type IncomingRow, type MemoryDisk, pairKey } from './disk.ts';

export function runIncoming(disk: MemoryDisk, command: IncomingCommand): unknown {
  const rows = disk.incoming;
  switch (command.kind) {
    case 'record':
      return command.batch.map((one) => record(disk, one));
    case 'since': {
      const { account, since, max } = command;
      const seen = [...rows.values()].filter((row) => row.account === account && row.at >= since);
      return newest(byTime(seen), max).map(({ at, chat, messageId, voice }) => {
        return { at, chat, messageId, voice };
      });
    }
    case 'waiting': {
      const { afterAccount, afterUpdateId, max } = command;
      const isAfter = ({ account, updateId }: IncomingRow) =>
        account > afterAccount || (account === afterAccount && updateId > afterUpdateId);
      return inOrder(disk).filter(isAfter).slice(0, max).map(headOf);
    }
    case 'read': {
      const { account, from, max } = command;
      const own = inOrder(disk).filter((row) => row.account === account && row.updateId >= from);
      return own.slice(0, max).map(({ updateId, at, body }) => ({ updateId, at, body }));
    }
    case 'done': {
      const { account, from, before } = command;
      const taken = inOrder(disk).filter((row) => row.account === account);
      return taken
        .filter(({ updateId }) => updateId >= from && updateId < before)
        .map((row) => save(disk, { ...row, state: 'done', body: '' })).length;
    }
    case 'retry': {
      const { account, updateId, attempts, dueAt } = command;
      const row = rows.get(keyOf({ account, updateId }));
      if (row?.state === 'waiting') save(disk, { ...row, attempts, dueAt });
      return null;
    }
    case 'prune':
      return prune(disk, command.before, command.max);
    default:
      return unreachable(command);
  }
}

function record(disk: MemoryDisk, one: NewIncoming): boolean {
  const before = disk.incoming.get(keyOf(one));
  if (before !== undefined && !(before.state === 'seen' && one.state === 'waiting')) return false;
  // What came first keeps its time.
  save(disk, { ...one, at: before?.at ?? one.at, attempts: 0, dueAt: 0 });
  return true;
}

function prune(disk: MemoryDisk, before: number, max: number) {
  const old = byTime([...disk.incoming.values()].filter(({ at }) => at < before)).slice(0, max);
  for (const row of old) disk.incoming.delete(keyOf(row));
  const untaken = old.filter(({ state }) => state === 'waiting').map(({ account }) => account);
  return { removed: old.length, untaken };
}

function inOrder(disk: MemoryDisk): IncomingRow[] {
  return [...disk.incoming.values()]
    .filter(({ state }) => state === 'waiting')
    .sort((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : byId(a, b)));
}

const byId = (a: IncomingRow, b: IncomingRow) => a.updateId - b.updateId;

function byTime(rows: IncomingRow[]): IncomingRow[] {
  return rows.sort((a, b) => a.at - b.at || byId(a, b));
}

function newest<T>(items: readonly T[], max: number): readonly T[] {
  return items.slice(Math.max(0, items.length - max));
}

function headOf({ account, updateId, chat, at, attempts, dueAt }: IncomingRow) {
  return { account, updateId, chat, at, attempts, dueAt };
}

function save(disk: MemoryDisk, row: IncomingRow): void {
  disk.incoming.set(keyOf(row), row);
}

function keyOf({ account, updateId }: { account: string; updateId: number }): string {
  return pairKey(account, String(updateId));
}
