// A line on the terminal that says how far a stream is. It only looks: when the gateway does not answer, it is silent,
// because the stream itself will say what is wrong.

import type { Clock, Timer } from '../../system/clock.ts';
import type { Client } from '../client.ts';
import { progressOf, type StreamAnswer } from './view.ts';

const LOOK_EVERY_MS = 500;

export function follow(given: {
  client: Pick<Client, 'call'>;
  clock: Clock;
  correlation: string;
  progress: (line: string) => void;
}): { stop(): void } {
  const { client, clock, correlation, progress } = given;
  const path = `/v1/streams?${new URLSearchParams({ correlation })}`;
  let timer: Timer;
  let isOver = false;
  const look = async () => {
    const answer = await client.call('GET', path).catch(() => null);
    if (isOver) return;
    const [stream] = (answer as { streams: StreamAnswer[] } | null)?.streams ?? [];
    if (stream !== undefined) progress(progressOf(stream));
    lookLater();
  };
  const lookLater = () => {
    timer = clock.schedule(clock.now() + LOOK_EVERY_MS, () => void look());
  };
  lookLater();
  return {
    stop() {
      isOver = true;
      timer.cancel();
      progress('');
    },
  };
}
