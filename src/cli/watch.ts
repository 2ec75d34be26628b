// sluice watch CHAT: what a session says on a terminal, as it says it. It stays through restarts of the gateway: who
// watches wants to see what comes next.

import type { Command } from 'commander';
import { PLATFORM_LOCAL } from '../platforms/registry.ts';
import { sleep, systemClock } from '../system/clock.ts';
import { addClientOptions, type Client, connect, Unreachable } from './client.ts';
import { Failed, type Io } from './io.ts';
import { harmlessJson } from './terminal/harmless.ts';
import { Screen, type WatchedMessage } from './terminal/screen.ts';
import type { ServerEvent } from './terminal/server-events.ts';
import { untilSignal } from './terminal/until-signal.ts';

interface Options {
  readonly account: string;
  readonly json?: true;
}

const RECONNECT_MS = 1000;
const RECONNECT_MS_MAX = 10_000;

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
    const stopping = new AbortController();
    void untilSignal().then(() => stopping.abort());
    await follow(connect(io, { ...options }), path, show, io, stopping.signal);
  });
}

// Until the signal. A gateway that was never there is a failure; one that goes away is waited for.
async function follow(
  client: Client,
  path: string,
  show: (event: ServerEvent) => void,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  let waitMs: number | null = null;
  while (!signal.aborted) {
    try {
      for await (const event of client.events(path, signal)) {
        waitMs = RECONNECT_MS;
        show(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (waitMs === null || !(error instanceof Unreachable)) throw error;
    }
    if (signal.aborted) return;
    if (waitMs === null) throw new Failed(`${client.url} ended the stream without a word`);
    io.err(`sluice: the line to ${client.url} is lost; trying again`);
    await Promise.race([sleep(systemClock(), waitMs), aborted(signal)]);
    waitMs = Math.min(RECONNECT_MS_MAX, waitMs * 2);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
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
      const { id, at } = data as { id: number; at: string };
      write(screen.deleted(id, at));
    }
  };
}
