// sluice explain ID: why has it not gone out?

import type { Command } from 'commander';
import { systemClock } from '../../system/clock.ts';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';
import { fields, inLocalTime, moment, table, until } from '../terminal/table.ts';

interface Explained {
  readonly id: string;
  readonly correlation: string;
  readonly state: string;
  readonly summary: string;
  readonly cause?: string | null;
  readonly waitsFor?: string | null;
  readonly position?: number | null;
  readonly eta?: string | null;
  readonly causes?: readonly {
    kind: string;
    name: string;
    until: string | null;
    detail: string;
  }[];
  readonly past?: readonly { kind: string; from: string; ms: number; detail: string }[];
}

export function addExplain(program: Command, io: Io): void {
  const command = program
    .command('explain')
    .description('say why a delivery has not gone out, or what became of it')
    .argument('<id>', 'the delivery’s id');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const path = `/v1/messages/${encodeURIComponent(id)}/explain`;
    const explained = (await connect(io, { ...options }).call('GET', path)) as Explained;
    if (options.json) printJson(io, explained);
    else io.out(describe(explained, systemClock().now()));
  });
}

// The next try is known then, not that it goes out with it.
function isHeld({ causes = [] }: Explained): boolean {
  return causes.some(({ kind }) => kind === 'held');
}

function describe(explained: Explained, now: number): string {
  const head = fields([
    ['id', explained.id],
    ['correlation', explained.correlation],
    ['state', explained.state],
    ['position', explained.position ?? null],
    [isHeld(explained) ? 'next try' : 'expected', until(explained.eta ?? null, now)],
    ['waits for', explained.waitsFor ?? null],
  ]);
  // In words; what programs call it comes last.
  const causes = (explained.causes ?? []).map((cause) => [
    cause.detail,
    until(cause.until, now) ?? '',
    `${cause.kind} ${cause.name}`,
  ]);
  const rows =
    causes.length === 0 ? '' : `\n\n${table(['it waits because', 'until', 'code'], causes)}`;
  const past = (explained.past ?? []).map(({ kind, from, ms, detail }) => {
    return [moment(from), `${(ms / 1000).toFixed(2)} s`, detail, kind];
  });
  const steps =
    past.length === 0 ? '' : `\n\n${table(['from', 'time', 'waited for', 'code'], past)}`;
  const cause = explained.cause ?? null;
  const last = cause === null ? '' : `\n\ncode  ${cause}`;
  return `${inLocalTime(explained.summary)}\n\n${head}${rows}${steps}${last}`;
}
