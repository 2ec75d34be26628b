// Processor time of processes and of those they started, as the kernel counts it: what shares two cores with everything
// else is compared by what it uses, not by how long it took.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../src/store/postgres/cluster.fixture.ts';

// Of the kernel's clock, the same on all Linux systems.
const TICK_US = 10_000;

interface Stat {
  readonly parent: number;
  readonly us: number;
}

export function postgresPid({ dir }: Cluster): number {
  return Number(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

// Of these processes and their children that still run or were waited for.
export function processorUs(pids: readonly number[]): number {
  const all = new Map(
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((entry) => {
        const stat = statOf(Number(entry));
        return stat === null ? [] : [[Number(entry), stat] as const];
      }),
  );
  let us = 0;
  for (const [pid, stat] of all)
    if (pids.includes(pid) || pids.includes(stat.parent)) us += stat.us;
  return us;
}

// The name in brackets may hold anything; behind it are state, parent and, from the twelfth on, the times.
function statOf(pid: number): Stat | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    return { parent: Number(fields[1]), us: ticks * TICK_US };
  } catch {
    // It ended meanwhile.
    return null;
  }
}
