// sluice watch CHAT: what a session says on a terminal, as it says it.

import type { Command } from 'commander';
import { PLATFORM_LOCAL } from '../platforms/registry.ts';
import { addClientOptions, connect } from './client.ts';
import type { Io } from './io.ts';
import { follow } from './terminal/follow.ts';
import { harmlessJson } from './terminal/harmless.ts';
import { Screen, type WatchedMessage } from './terminal/screen.ts';
import type { ServerEvent } from './terminal/server-events.ts';

interface Options {
  readonly account: string;
  readonly json?: true;
}

export function addWatch(program: Command, io: Io): void {
  const command = program
    .command('watch')
    .description('show what is sent to a terminal, as it comes')
    .argument('<chat>', 'name of the screen: the chat of its messages')
    .option('--account <id>', 'whose screen', PLATFORM_LOCAL.accountDefault);
  addClientOptions(command).action(async (chat: string, options: Options) => {
    const account = encodeURIComponent(options.account);
    const path = `/v1/terminal/${encodeURIComponent(chat)}?account=${account}`;
    const show = options.json ? asJson(io) : asText(io);
    await follow(connect(io, { ...options }), path, show, io);
  });
}

function asJson(io: Io): (event: ServerEvent) => void {
  return ({ kind, data }) => io.out(harmlessJson({ kind, ...(data as object) }));
}

function asText(io: Io): (event: ServerEvent) => void {
  const { terminal } = io;
  const screen = new Screen(() => (terminal === undefined ? null : terminal.size()));
  const write = (text: string) => {
    if (text === '') return;
    if (terminal === undefined) io.out(text.replace(/\n$/, ''));
    else terminal.write(text);
  };
  return ({ kind, data }) => {
    if (kind === 'message') write(screen.message(data as WatchedMessage));
    else if (kind === 'edited') write(screen.edited(data as WatchedMessage));
    else if (kind === 'deleted') {
      const { id, at } = data as { id: string; at: string };
      write(screen.deleted(id, at));
    }
  };
}
