// A load that costs its own machine little: plain sockets, ready-made requests, one at a time per connection.
// An HTTP library would spend as much as the server and so measure itself.

import { connect } from 'node:net';
import type { Pace } from './closed-loop.ts';

export interface Target {
  readonly port: number;
  readonly connections: number;
  readonly total: number;
  // The whole request of number i, as it goes over the wire.
  readonly request: (i: number) => string;
  // The status line every answer must begin with.
  readonly expect: string;
}

export function httpRequest(path: string, headers: readonly string[], body: string): string {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers, length];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export async function load(target: Target): Promise<Pace> {
  let started = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: target.connections }, () =>
      runConnection(target, () => (started < target.total ? started++ : null)),
    ),
  );
  return { count: target.total, ms: performance.now() - began };
}

function runConnection(target: Target, take: () => number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, '127.0.0.1');
    let answer = '';
    const next = () => {
      const i = take();
      if (i === null) socket.end();
      else socket.write(target.request(i));
    };
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('connect', next);
    socket.on('data', (chunk) => {
      answer += chunk;
      if (!isWhole(answer)) return;
      if (!answer.startsWith(target.expect)) reject(new Error(answer.slice(0, 500)));
      answer = '';
      next();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = Number(LENGTH.exec(answer)?.[1] ?? 0);
  return answer.length >= end + 4 + length;
}
