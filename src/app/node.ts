// This process as a node of a fleet: its internal listener, where other nodes hand on what it owns, and the order in
// which it comes and goes. It is a member only when it can be reached, and hands over while it still answers.

import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { WaitingCallers } from '../accept/callers.ts';
import type { AccountPart } from '../cluster/accounts.ts';
import { connectionsTo } from '../cluster/peers.ts';
import type { Config } from '../config/config.ts';
import type { HttpParts, HttpSettings } from '../http/context.ts';
import type { Dialects } from '../http/dialects/dialects.ts';
import type { FleetSide } from '../http/fleet/port.ts';
import { createServer } from '../http/server.ts';
import type { Guards } from '../keys/keys.ts';
import { drained } from '../system/service.ts';
import { listenAt } from './listener.ts';
import type { Resources } from './resources.ts';

export interface FleetMember {
  // What the routes are given.
  readonly side: { readonly fleet?: FleetSide };
  start(options: HttpParts, waiting: WaitingCallers, dialects: Dialects): Promise<void>;
  // Hands over what it owns, at the latest at the deadline.
  leave(deadlineMs: number): Promise<void>;
  close(graceMs: number): Promise<void>;
}

const ALONE: FleetMember = {
  side: {},
  start: async () => {},
  leave: async () => {},
  close: async () => {},
};

// A connection of another node carries the requests of many; each names where it came from.
const ANY_ADDRESS = ['0.0.0.0/0', '::/0'];
// Other nodes of one fleet, whose connections there is room for: one that is refused counts as gone.
const NODES_MAX = 100;

export function openMember(
  config: Config,
  resources: Resources,
  guards: Guards,
  services: readonly AccountPart[],
): FleetMember {
  const { fleet, accounts, clock } = resources;
  if (fleet === null) return ALONE;
  const truth = { accounts, keyring: guards.keyring, sessions: guards.sessions };
  const port = fleet.port(resources.local, truth);
  let server: FastifyInstance | null = null;
  return {
    side: { fleet: { side: 'outer', port } },
    async start(options, waiting, dialects) {
      const { host, port: at, url } = whereOf(config);
      const settings = innerSettings(options.settings, url);
      const inner = { ...options, settings, fleet: { side: 'inner', port } as const };
      server = createServer(inner, waiting, dialects);
      const own = await listenAt({ host, port: at }, server);
      await fleet.start(url === null ? own : url.origin, truth, services);
    },
    leave: (deadlineMs) => fleet.leave(deadlineMs),
    async close(graceMs) {
      if (server === null) return;
      const closed = server.close();
      await drained(clock, [closed], graceMs);
      server.server.closeAllConnections();
      await closed;
    },
  };
}

export function innerSettings(settings: HttpSettings, url: URL | null): HttpSettings {
  return {
    ...settings,
    host: '0.0.0.0',
    allowedHosts: [...settings.allowedHosts, ...(url === null ? [] : [url.hostname])],
    trustedProxies: ANY_ADDRESS,
    connectionsMax: NODES_MAX * connectionsTo(settings.connectionsMax),
  };
}

// Where the internal listener listens: at the port of its address, on that address if it is one of this machine's own.
function whereOf({ nodeUrl, host }: Config): { host: string; port: number; url: URL | null } {
  if (nodeUrl !== null) {
    const url = new URL(nodeUrl);
    const isOwn = isIP(url.hostname) !== 0 || url.hostname === 'localhost';
    return { host: isOwn ? url.hostname : '0.0.0.0', port: Number(url.port || 80), url };
  }
  if (host === '0.0.0.0' || host === '::') {
    throw new Error(
      'SLUICE_NODE_URL must be set: other nodes cannot reach this one at every address',
    );
  }
  return { host, port: 0, url: null };
}
