// What outlives the processes of a simulated fleet: the disk of the store, and what the world is told in the end.

import type { WorldTrouble } from '../../sim/sim.ts';
import { createMemoryDisk } from '../../store/memory/memory.ts';
import type { SharedContent } from './shared-store.ts';

export interface FleetContent extends SharedContent {
  readonly troubles: LastingTrouble[];
  readonly refused: Set<string>;
  starts: number;
}

export interface LastingTrouble extends WorldTrouble {
  until: number;
}

export function newContent(): FleetContent {
  return {
    disk: createMemoryDisk(),
    strays: new Map(),
    strayLast: 0,
    begun: new Map(),
    troubles: [],
    strangers: [],
    refused: new Set(),
    starts: 0,
  };
}
