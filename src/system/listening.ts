// Whether a process that listens is gone: its machine refuses connections to its port. One that stands still, or that
// the network keeps from us, refuses nothing.

import { connect } from 'node:net';

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

// False also where nothing can be told within that time.
export function isRefused(url: string, msMax: number): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) || (PORTS[protocol] ?? 0), timeout: msMax });
  return new Promise((resolve) => {
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('error', (error) => end('code' in error && error.code === 'ECONNREFUSED'));
  });
}
