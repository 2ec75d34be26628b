// sluice pause and resume: an operator's hand on one account. What is accepted meanwhile waits on disk.

import type { Command } from 'commander';
import { addClientOptions, connect } from '../client.ts';
import { type Io, printJson } from '../io.ts';

export function addPause(program: Command, io: Io): void {
  addVerb(program, io, 'pause', 'let nothing of an account go out until it is resumed');
  addVerb(program, io, 'resume', 'let a paused account go on');
}

function addVerb(program: Command, io: Io, verb: 'pause' | 'resume', description: string): void {
  const command = program.command(verb).description(description).argument('<account>', 'its id');
  addClientOptions(command).action(async (id: string, options: { json?: true }) => {
    const path = `/v1/accounts/${encodeURIComponent(id)}/${verb}`;
    const answer = (await connect(io, { ...options }).call('POST', path)) as { summary?: string };
    if (options.json) printJson(io, answer);
    else io.out(answer.summary ?? `${id} is paused`);
  });
}
