// sluice login-link: an address that logs one browser in to the page, once. The start prints one on a terminal only,
// because what it prints elsewhere is kept in logs.

import type { Command } from 'commander';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';

interface Given {
  readonly path: string;
  readonly expiresInS: number;
}

export function addLoginLink(program: Command, io: Io): void {
  const command = program
    .command('login-link')
    .description('print a link that logs one browser in to the dashboard, once');
  addClientOptions(command).action(async (options: { json?: true }) => {
    const client = connect(io, { ...options });
    const { path, expiresInS } = (await client.call('POST', '/v1/login-links')) as Given;
    const link = `${client.url}${path}`;
    if (options.json) printJson(io, { link, expiresInS });
    else io.out(link);
  });
}
