// A stream of events of the gateway, followed through its restarts: who watches wants to see what comes next.

import { sleep, systemClock } from '../../system/clock.ts';
import { type Client, Unreachable } from '../client.ts';
import { Failed, type Io } from '../io.ts';
import type { ServerEvent } from './server-events.ts';
import { untilSignal } from './until-signal.ts';

const RECONNECT_MS = 1000;
const RECONNECT_MS_MAX = 10_000;

// Until a signal ends the program. A gateway that was never there is a failure; one that goes away is waited for.
export async function follow(
  client: Client,
  path: string,
  show: (event: ServerEvent) => void,
  io: Io,
): Promise<void> {
  const stopping = new AbortController();
  void untilSignal().then(() => stopping.abort());
  const { signal } = stopping;
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
