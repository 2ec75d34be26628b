// A port that stays a test's own while nobody listens there, such as between a kill and the next start. Whoever asks
// the system for any port gets one of its range, which begins at 32768: one that was given back may be another's.

import { createServer } from 'node:net';

const FIRST = 20_000;
const COUNT = 12_000;
// Processes of one run have numbers side by side.
const APART = 37;

let last = process.pid * APART;

export async function ownPort(): Promise<number> {
  for (;;) {
    last += 1;
    const port = FIRST + (last % COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
