// What comes in, in memory: the specification, every question answered by looking at everything.

import { unreachable } from '../../system/assert.ts';
import type { IncomingCommand, NewIncoming, UpdateKey, UpdatePlace } from '../ports/updates.ts';
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
      const { afterAccount, after, max } = command;
      const isAfter = (row: IncomingRow) =>
        row.account > afterAccount || (row.account === afterAccount && byPlace(row, after) > 0);
      return inOrder(disk).filter(isAfter).slice(0, max).map(headOf);
    }
    case 'read': {
      const { account, after, max } = command;
      const own = inOrder(disk).filter((row) => row.account === account && byPlace(row, after) > 0);
      return own.slice(0, max).map(({ order, updateId, at, body }) => {
        return { order, updateId, at, body };
      });
    }
    case 'body':
      return waitingAt(disk, command)?.body ?? null;
    case 'done':
      return end(disk, waitingAt(disk, command));
    case 'doneBefore': {
      const { account, order } = command;
      const taken = inOrder(disk).filter((row) => row.account === account && row.order < order);
      return taken.map((row) => end(disk, row)).length;
    }
    case 'retry': {
      const { attempts, dueAt } = command;
      const row = waitingAt(disk, command);
      if (row !== null) save(disk, { ...row, attempts, dueAt });
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

function waitingAt(disk: MemoryDisk, one: UpdateKey): IncomingRow | null {
  const row = disk.incoming.get(keyOf(one));
  return row?.state === 'waiting' ? row : null;
}

function end(disk: MemoryDisk, row: IncomingRow | null): null {
  if (row !== null) save(disk, { ...row, state: 'done', body: '' });
  return null;
}

function inOrder(disk: MemoryDisk): IncomingRow[] {
  return [...disk.incoming.values()]
    .filter(({ state }) => state === 'waiting')
    .sort((a, b) => byText(a.account, b.account) || byPlace(a, b));
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byPlace = (a: UpdatePlace, b: UpdatePlace) =>
  a.order - b.order || byText(a.updateId, b.updateId);

function byTime(rows: IncomingRow[]): IncomingRow[] {
  return rows.sort((a, b) => a.at - b.at || byPlace(a, b));
}

function newest<T>(items: readonly T[], max: number): readonly T[] {
  return items.slice(Math.max(0, items.length - max));
}

function headOf({ account, order, updateId, chat, at, attempts, dueAt }: IncomingRow) {
  return { account, order, updateId, chat, at, attempts, dueAt };
}

function save(disk: MemoryDisk, row: IncomingRow): void {
  disk.incoming.set(keyOf(row), row);
}

function keyOf({ account, updateId }: UpdateKey): string {
  return pairKey(account, updateId);
}
