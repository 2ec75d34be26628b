// sluice nodes: the nodes of the fleet, what each owns, and who does not answer.

import type { Command } from 'commander';
import { addClientOptions, connect } from './client.ts';
import { type Io, printJson } from './io.ts';
import { table } from './terminal/table.ts';

interface ShownNode {
  readonly name: string;
  readonly url: string | null;
  readonly state: string;
  readonly self: boolean;
  readonly answers: boolean;
  readonly accounts: number | null;
  readonly waiting: number | null;
  readonly inFlight: number | null;
}

const HEAD = ['node', 'state', 'accounts', 'waiting', 'in flight', 'address'];

export function addNodes(program: Command, io: Io): void {
  const command = program
    .command('nodes')
    .description('the nodes of the fleet, and what each of them has');
  addClientOptions(command).action(async (options: { readonly json?: true }) => {
    const answer = await connect(io, { ...options }).call('GET', '/v1/nodes');
    if (options.json) printJson(io, answer);
    else io.out(table(HEAD, (answer as { nodes: ShownNode[] }).nodes.map(rowOf)));
  });
}

function rowOf({ name, url, state, self, answers, ...counts }: ShownNode): (string | number)[] {
  const { accounts, waiting, inFlight } = counts;
  const named = self ? `${name} (this one)` : name;
  const said = answers ? state : `${state}, does not answer`;
  return [named, said, accounts ?? '?', waiting ?? '?', inFlight ?? '?', url ?? ''];
}
