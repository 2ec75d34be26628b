// Which boot of the machine this is, and which life of a process id: what was written without being forced to the disk
// survives the process, but not the machine. Where the system does not tell (no /proc), nothing is claimed.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

// 32 hex digits; null: the system does not tell.
export function bootId(): string | null {
  const text = readOrNull('/proc/sys/kernel/random/boot_id')?.trim().replaceAll('-', '') ?? '';
  return /^[0-9a-f]{32}$/.test(text) ? text : null;
}

// The time since the machine was started: it runs on while no process of ours does, and no step of the wall clock
// touches it. It counts only within one boot.
export interface BootTime {
  readonly boot: string;
  readonly ms: number;
}

// null: two such times could not be compared.
export function bootTime(): BootTime | null {
  const boot = bootId();
  return boot === null ? null : { boot, ms: uptime() * 1000 };
}

// When the process began, in clock ticks since the boot; null: there is none, or the system does not tell.
export function processStart(pid: number): number | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name, in brackets, may hold anything; the start is the 20th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const isDead = fields[0] === 'Z' || fields[0] === 'X';
  return isDead ? null : Number(fields[19]);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
