// sluice mcp: the gateway as tools of an agent, over standard input and output. The agent's program starts it.

import type { Command } from 'commander';
import { serveMcpOnStdio } from '../mcp/mcp.ts';
import { addClientOptions, connect } from './client.ts';
import type { Io } from './io.ts';

export function addMcp(program: Command, io: Io): void {
  const command = program
    .command('mcp')
    .description('serve the Model Context Protocol on standard input and output, for agents');
  addClientOptions(command).action(async (options: Readonly<Record<string, unknown>>) => {
    const client = connect(io, options);
    await serveMcpOnStdio(async (method, path, body) => {
      try {
        return { status: 200, value: await client.call(method, path, body) };
      } catch (error) {
        // What is wrong is for the agent to read.
        return { status: 500, value: { detail: (error as Error).message } };
      }
    });
  });
}
