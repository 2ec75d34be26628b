// Machines of a trial as network namespaces of this one, with two networks as in a rack: `front`, where nodes reach
// each other, the simulator and Redis, and `back`, where the database is. Between them a switch, in a namespace of its
// own. All of it bears this process's number, and goes with it; nothing else of the machine is touched.

import { execFileSync } from 'node:child_process';
import type { FleetNetwork } from '../process/fleet.ts';

export interface Machines extends FleetNetwork {
  // Of the database, on the network behind.
  readonly back: string;
  // Nodes do not reach each other, and all else they do.
  cutPeers(): void;
  joinPeers(): void;
  // This one does not reach the database.
  cutBack(node: number): void;
  joinBack(node: number): void;
  remove(): void;
}

// For measurements between networks (RFC 2544): no machine has them. Two trials on one machine have others.
const OWN = process.pid % 256;
const FRONT = `198.18.${OWN}`;
const BACK = `198.19.${OWN}`;
const HUB = 1;
const FIRST_NODE = 11;

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

// null: this is not Linux, or we may not.
export function openMachines(count: number): Machines | null {
  // Names of devices are short.
  const tag = `sl${process.pid % 100_000}`;
  const hub = `${tag}-hub`;
  const nodes = Array.from({ length: count }, (_, i) => `${tag}-n${i}`);
  const remove = () => {
    const own = ['f', 'b'].map((side) => ['link', 'delete', `${tag}-${side}`]);
    for (const words of [...own, ...[...nodes, hub].map((name) => ['netns', 'delete', name])]) {
      try {
        ip(...words);
      } catch {
        // It was never made.
      }
    }
  };
  // However it ends.
  process.once('exit', remove);
  try {
    build(tag, hub, nodes);
  } catch {
    remove();
    return null;
  }
  const portsOf = (side: 'f' | 'b') => nodes.map((_, i) => `${side}${i}`);
  const isolate = (state: 'on' | 'off') => {
    for (const port of portsOf('f')) {
      ip('-n', hub, 'link', 'set', 'dev', port, 'type', 'bridge_slave', 'isolated', state);
    }
  };
  const back = (node: number, state: 'up' | 'down') =>
    void ip('-n', hub, 'link', 'set', 'dev', `b${node}`, state);
  return {
    host: `${FRONT}.${HUB}`,
    back: `${BACK}.${HUB}`,
    nodes: nodes.map((name, i) => ({
      host: `${FRONT}.${FIRST_NODE + i}`,
      under: ['nsenter', `--net=/run/netns/${name}`],
    })),
    cutPeers: () => isolate('on'),
    joinPeers: () => isolate('off'),
    cutBack: (node) => back(node, 'down'),
    joinBack: (node) => back(node, 'up'),
    remove,
  };
}

function build(tag: string, hub: string, nodes: readonly string[]): void {
  ip('netns', 'add', hub);
  for (const [side, net] of [
    ['f', FRONT],
    ['b', BACK],
  ] as const) {
    ip('-n', hub, 'link', 'add', `br-${side}`, 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'dev', `br-${side}`, 'up');
    const own = `${tag}-${side}`;
    ip('link', 'add', own, 'type', 'veth', 'peer', 'name', `h${side}`, 'netns', hub);
    ip('address', 'add', `${net}.${HUB}/24`, 'dev', own);
    ip('link', 'set', 'dev', own, 'up');
    plug(hub, `h${side}`, side);
  }
  for (const [i, name] of nodes.entries()) {
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const [side, net] of [
      ['f', FRONT],
      ['b', BACK],
    ] as const) {
      const port = `${side}${i}`;
      ip('-n', hub, 'link', 'add', port, 'type', 'veth', 'peer', 'name', side, 'netns', name);
      ip('-n', name, 'address', 'add', `${net}.${FIRST_NODE + i}/24`, 'dev', side);
      ip('-n', name, 'link', 'set', 'dev', side, 'up');
      plug(hub, port, side);
    }
  }
}

function plug(hub: string, port: string, side: 'f' | 'b'): void {
  ip('-n', hub, 'link', 'set', 'dev', port, 'master', `br-${side}`);
  ip('-n', hub, 'link', 'set', 'dev', port, 'up');
}
