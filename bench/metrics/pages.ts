// So many open pages, in a process of their own: each reads the gateway's events and does nothing with them. Tells
// their number when all of them have read something.

import { Agent, get } from 'node:http';
import { tell } from '../engine/child.ts';

const [url = '', key = '', count = '0'] = process.argv.slice(2);
const agent = new Agent({ maxSockets: Number(count) });
const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };

const opened = Array.from(
  { length: Number(count) },
  () =>
    new Promise<void>((resolve, reject) => {
      const request = get(`${url}/v1/overview/events`, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
        response.on('data', () => resolve());
      });
      request.on('error', reject);
    }),
);
await Promise.all(opened);
process.once('SIGTERM', () => process.exit(0));
tell(opened.length);
