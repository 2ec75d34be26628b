// Posts to addresses that an operator has set: whole URLs instead of paths below one base. One pool of connections
// per origin, made when it is first needed; the origins are as few as the settings name.

import { undiciTransport } from './http.ts';
import type { Reply, Transport } from './transport.ts';

export interface Posting {
  // `url` is http or https.
  post(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    deadlineMs: number,
  ): Promise<Reply>;
  // Cuts off what is under way.
  close(): Promise<void>;
}

export function undiciPosting(connectionsMax: number): Posting {
  const transports = new Map<string, Transport>();
  return {
    post(text, body, headers, deadlineMs) {
      const url = new URL(text);
      let transport = transports.get(url.origin);
      if (transport === undefined) {
        transport = undiciTransport({ baseUrl: url.origin, connectionsMax });
        transports.set(url.origin, transport);
      }
      const path = `${url.pathname}${url.search}`;
      const all = { 'content-type': 'application/json', ...headers };
      return transport.request({ method: 'POST', path, headers: all, body, deadlineMs });
    },
    async close() {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}
