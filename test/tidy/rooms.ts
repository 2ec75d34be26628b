// Who may import whom. A room is a folder of src/; the files directly in src/ are the ones that join rooms.
// `values`: anything; `types`: only `import type`. From outside, a room is entered through its door.

export interface RoomRule {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

export const ROOMS: Readonly<Record<string, RoomRule>> = {
  domain: { values: [], types: [] },
  system: { values: ['domain'], types: [] },
  config: { values: ['domain', 'system'], types: [] },
  limits: { values: ['domain', 'system'], types: [] },
  scheduler: { values: ['domain', 'system', 'limits'], types: [] },
  // A store writes what the ledger reads, so it brings the reader of its own form along.
  journal: { values: ['domain', 'system', 'ledger'], types: [] },
  ledger: { values: ['domain', 'system'], types: [] },
  platforms: { values: ['domain', 'system', 'limits'], types: [] },
  spool: { values: ['domain', 'system'], types: [] },
  accounts: { values: ['domain', 'system'], types: ['journal', 'platforms'] },
  keys: { values: ['domain', 'system', 'journal'], types: [] },
  inbound: { values: ['domain', 'system'], types: ['journal'] },
  live: { values: ['domain', 'system', 'journal'], types: ['platforms', 'intake/road.ts'] },
  broadcast: {
    values: ['domain', 'system', 'journal'],
    types: ['ledger', 'limits', 'platforms', 'intake/road.ts'],
  },
  intake: {
    values: ['domain', 'system', 'accounts', 'journal', 'ledger', 'live', 'keys'],
    types: ['platforms', 'limits', 'inbound', 'spool', 'broadcast'],
  },
  dispatch: {
    values: ['domain', 'system', 'limits', 'scheduler', 'journal', 'platforms'],
    types: ['ledger', 'accounts', 'intake/road.ts'],
  },
  // The page knows the gateway by its routes, as any other caller does.
  dashboard: { values: ['system'], types: [] },
  // Never platforms or limits: a simulator that shares the code it tests shares its mistakes.
  sim: { values: ['domain', 'system'], types: [] },
  // A face for one library; it sees the gateway as its users do.
  grammy: { values: [], types: ['intake/in-process.ts'] },
  cli: {
    values: [
      'config',
      'gateway.ts',
      'world-engine.ts',
      'sim',
      'accounts',
      'system',
      'domain',
      'journal',
    ],
    types: [],
  },
};

// Their files are words and tools, each a door of its own.
export const OPEN_ROOMS = ['domain', 'system'];

// The file that bears the room's name, where it is not `<room>/<room>.ts`.
export const DOORS: Readonly<Record<string, readonly string[]>> = {
  platforms: ['platforms/platform.ts'],
  // What live output offers, and how a body becomes a stream.
  live: ['live/live.ts', 'live/feed.ts'],
  // The port, and the two hand tools of a store.
  journal: ['journal/journal.ts', 'journal/snapshot.ts', 'journal/restore.ts'],
};

// These build the house and may open inner doors.
export const BUILDERS = [
  'src/engine.ts',
  'src/forgetting.ts',
  'src/arrivals.ts',
  'src/livestreams.ts',
  'src/broadcasting.ts',
  'src/guarding.ts',
  'src/house.ts',
  'src/readings.ts',
  'src/removing.ts',
  'src/gateway.ts',
  'src/world-engine.ts',
  'src/index.ts',
];

// Pure rooms: no node: module, no package.
export const PURE_ROOMS = ['domain', 'limits', 'scheduler'];

export function doorsOf(room: string): readonly string[] {
  return DOORS[room] ?? [`${room}/${room}.ts`];
}

export function roomOf(path: string): string | null {
  const match = /^src\/([^/]+)\/.+/.exec(path);
  return match === null ? null : match[1]!;
}
