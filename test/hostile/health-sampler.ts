// Asks /health again and again in a thread of its own, so that what is measured is the gateway and not the attacker.
// Told to `take`, it answers the times since it was told last, in milliseconds.

import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export interface Sampling {
  readonly url: string;
  // Between an answer and the next question.
  readonly gapMs: number;
}

const { url, gapMs } = workerData as Sampling;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let times: number[] = [];

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const asked = request(new URL('/health', url), { agent }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        times.push(performance.now() - from);
        resolve();
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

parentPort!.on('message', () => {
  parentPort!.postMessage(times);
  times = [];
});

for (;;) {
  await ask();
  await new Promise((resolve) => setTimeout(resolve, gapMs));
}
