// sluice status: is it well, what waits, and which account has trouble.

import type { Command } from 'commander';
import { addClientOptions, connect } from './client.ts';
import { Failed, type Io, printJson } from './io.ts';
import { table } from './table.ts';

interface Health {
  readonly status: string;
  readonly parts: Readonly<Record<string, { status: string }>>;
}

interface Queue {
  readonly stats: Readonly<Record<string, number>>;
  readonly total_queued: number;
}

interface Account {
  readonly id: string;
  readonly paused: boolean;
  readonly refused: string | null;
  readonly breaker: { readonly state: string; readonly cause: string };
  readonly waiting: number;
  readonly inFlight: number;
}

export function addStatus(program: Command, io: Io): void {
  const command = program.command('status').description('the gateway at a glance');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const client = connect(io, { ...options });
    const [health, queue, accounts] = (await Promise.all([
      client.call('GET', '/health/details'),
      client.call('GET', '/queue/stats'),
      client.call('GET', '/v1/accounts'),
    ])) as [Health, Queue, { accounts: Account[] }];
    if (options.json) printJson(io, { url: client.url, health, queue, ...accounts });
    else io.out(describe(client.url, health, queue, accounts.accounts));
    if (health.status !== 'ok') throw new Failed(`the gateway is ${health.status}`);
  });
}

function describe(url: string, health: Health, queue: Queue, accounts: Account[]): string {
  const parts = Object.entries(health.parts).map(([name, { status }]) => `${name} ${status}`);
  const depths = Object.entries(queue.stats).map(([name, count]) => `${name} ${count}`);
  const rows = accounts.map((account) => [
    account.id,
    account.waiting,
    account.inFlight,
    troubleOf(account),
  ]);
  const lines = [
    `${url} is ${health.status} (${parts.join(', ')})`,
    `${queue.total_queued} waiting: ${depths.join(', ')}`,
  ];
  if (rows.length > 0) lines.push('', table(['account', 'waiting', 'in flight', 'trouble'], rows));
  return lines.join('\n');
}

function troubleOf(account: Account): string {
  if (account.refused !== null) return `refused by the platform: ${account.refused}`;
  if (account.paused) return 'paused';
  return account.breaker.state === 'closed'
    ? 'none'
    : `breaker ${account.breaker.state}: ${account.breaker.cause}`;
}
