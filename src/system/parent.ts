// Whether the npm that started this process is still there. npm forwards SIGTERM only to its direct child; where
// that is a shell (`npx sluice serve`), the shell ends and the program behind it would go on, orphaned, with the port
// and the data folder in its hands. The same after a kill -9 of npm itself.

import { readFileSync } from 'node:fs';

const POLL_MS = 250;
// Set by npm for the scripts that stand for a program in the foreground.
const FOREGROUND = ['start', 'npx'];
const SHELLS = ['sh', 'dash', 'bash', 'ash', 'zsh', 'ksh', 'busybox'];

interface Parent {
  readonly pid: number;
  // The shell's own parent, which is npm; null: the parent is no shell, or it is not known.
  readonly above: number | null;
}

// Resolves when npm has gone; never when this process was not started by npm. It does not keep the process alive.
export function parentGone(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const parent = readParent();
  return new Promise((resolve) => {
    if (!FOREGROUND.includes(env.npm_lifecycle_event ?? '') || parent.pid <= 1) return;
    const timer = setInterval(() => {
      if (isSame(parent, readParent())) return;
      clearInterval(timer);
      resolve();
    }, POLL_MS);
    timer.unref();
  });
}

function isSame(one: Parent, other: Parent): boolean {
  return one.pid === other.pid && one.above === other.above;
}

function readParent(): Parent {
  const pid = process.ppid;
  return { pid, above: aboveShell(pid) };
}

// Only where there is a /proc; elsewhere the direct parent has to do.
function aboveShell(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, name, rest] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return name !== undefined && SHELLS.includes(name) ? Number(rest) : null;
  } catch {
    return null;
  }
}
