// sluice events: what happens, as it happens: acceptances, tries, moves, freezes, breakers. One line each.

import type { Command } from 'commander';
import { addClientOptions, connect } from './client.ts';
import type { Io } from './io.ts';
import { follow } from './terminal/follow.ts';
import { harmlessJson } from './terminal/harmless.ts';
import type { ServerEvent } from './terminal/server-events.ts';
import { inLocalTime } from './terminal/table.ts';

interface Options {
  readonly account?: string;
  readonly chat?: string;
  readonly json?: true;
}

// First, in this order; whatever else an event says follows. A correlation id that is the id says nothing more.
const LEADING = [
  'account',
  'chat',
  'id',
  'correlation',
  'from',
  'to',
  'outcome',
  'state',
  'reason',
  'cause',
];
// Said already, or of no use to a person's eyes.
const LEFT_OUT = ['at', 'lane', 'payload'];

export function addEvents(program: Command, io: Io): void {
  const command = program
    .command('events')
    .description('show what happens, as it happens, until it is ended')
    .option('--account <id>', 'of this account')
    .option('--chat <id>', 'of this chat')
    // It does so in any case; people type it.
    .option('--follow', 'go on until it is ended (it always does)');
  addClientOptions(command).action(async (options: Options) => {
    const query = new URLSearchParams();
    for (const name of ['account', 'chat'] as const) {
      const value = options[name];
      if (value !== undefined) query.set(name, value);
    }
    const asked = query.size === 0 ? '' : `?${query}`;
    const show = options.json ? asJson(io) : (event: ServerEvent) => io.out(lineOf(event));
    await follow(connect(io, { ...options }), `/v1/events${asked}`, show, io);
  });
}

function asJson(io: Io): (event: ServerEvent) => void {
  return ({ kind, data }) => io.out(harmlessJson({ kind, ...(data as object) }));
}

// Of a duration nobody reads more than whole milliseconds.
function inWords(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value));
  return typeof value === 'object' ? JSON.stringify(value) : inLocalTime(String(value));
}

// Of what follows in a moment the milliseconds count, too.
function timeOf(at: string): string {
  return `${inLocalTime(at)}${at.slice(-5, -1)}`;
}

export function lineOf({ kind, data }: ServerEvent): string {
  const fields = data as Readonly<Record<string, unknown>>;
  const at = typeof fields.at === 'string' ? timeOf(fields.at) : '';
  const names = [
    ...LEADING,
    ...Object.keys(fields).filter((name) => ![...LEADING, ...LEFT_OUT].includes(name)),
  ];
  const told = names.flatMap((name) => {
    const value = fields[name];
    if (value === undefined || value === null || value === '') return [];
    if (name === 'correlation' && value === fields.id) return [];
    return [`${name}=${inWords(value)}`];
  });
  return `${at} ${kind.padEnd(9)} ${told.join(' ')}`.replaceAll('\n', ' ');
}
