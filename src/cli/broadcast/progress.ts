// Follows a broadcast until it is over: a bar on a terminal, a line for every tenth elsewhere. It goes on without the
// one who watches, and the one who watches outlives a restart of the gateway.

import { type Clock, sleep } from '../../system/clock.ts';
import { type Client, Unreachable } from '../client.ts';
import type { Io } from '../io.ts';
import { type BroadcastAnswer, barOf, countsOf, isOver, shareOf } from './view.ts';

const LOOK_EVERY_MS = 500;
const LINES = 10;

export async function watchBroadcast(given: {
  client: Pick<Client, 'call'>;
  clock: Clock;
  io: Io;
  first: BroadcastAnswer;
}): Promise<BroadcastAnswer> {
  const { client, clock, io, first } = given;
  const path = `/v1/broadcasts/${first.id}`;
  let shown = first;
  let told = 0;
  while (!isOver(shown)) {
    if (io.progress !== undefined) io.progress(barOf(shown, clock.now()));
    else if (Math.floor(shareOf(shown) * LINES) > told) {
      told = Math.floor(shareOf(shown) * LINES);
      io.err(`${shown.id}: ${countsOf(shown)}`);
    }
    await sleep(clock, LOOK_EVERY_MS);
    try {
      shown = (await client.call('GET', path)) as BroadcastAnswer;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      io.progress?.(`${first.id}: the gateway does not answer; the broadcast goes on when it does`);
    }
  }
  io.progress?.('');
  return shown;
}
