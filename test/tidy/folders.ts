// Who may import whom, by folder of src/; `app` joins them and opens every entry.
// `values`: anything; `types`: only `import type`. From outside, a folder is entered through its entry.

export interface FolderRule {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

export const FOLDER_RULES: Readonly<Record<string, FolderRule>> = {
  domain: { values: [], types: [] },
  system: { values: ['domain'], types: [] },
  // Made from the registry: each platform brings its section of the settings, and how its credentials look.
  config: { values: ['domain', 'system', 'platforms'], types: [] },
  limits: { values: ['domain', 'system'], types: [] },
  scheduler: { values: ['domain', 'system', 'limits'], types: [] },
  text: { values: ['domain', 'system'], types: [] },
  // The port of the road: types only.
  road: { values: ['domain', 'system'], types: ['limits', 'store'] },
  // A store writes what the ledger reads, so it brings the reader of its own form along.
  store: { values: ['domain', 'system', 'ledger'], types: [] },
  ledger: { values: ['domain', 'system'], types: [] },
  telemetry: { values: ['domain', 'system'], types: [] },
  platforms: { values: ['domain', 'system', 'limits', 'text', 'config'], types: [] },
  spool: { values: ['domain', 'system'], types: [] },
  accounts: { values: ['domain', 'system'], types: ['store', 'platforms'] },
  keys: { values: ['domain', 'system', 'store'], types: [] },
  updates: { values: ['domain', 'system'], types: ['store', 'platforms'] },
  accept: {
    values: ['domain', 'system', 'store'],
    types: ['road', 'accounts', 'keys', 'ledger', 'platforms', 'updates'],
  },
  dispatch: {
    values: ['domain', 'system', 'limits', 'scheduler', 'store', 'platforms'],
    types: ['ledger', 'accounts', 'road'],
  },
  streams: { values: ['domain', 'system', 'store'], types: ['platforms', 'road'] },
  broadcast: {
    values: ['domain', 'system', 'store', 'accept'],
    types: ['ledger', 'limits', 'platforms', 'road'],
  },
  // Tools for agents, over whatever makes calls of REST.
  mcp: { values: ['system'], types: [] },
  ingest: { values: ['domain', 'system', 'store'], types: ['platforms'] },
  cluster: { values: ['domain', 'system', 'store'], types: ['road'] },
  http: {
    // Of platforms the registry alone: what stands in the examples of routes.
    values: [...['domain', 'system', 'accept', 'store', 'ledger', 'keys', 'mcp', 'platforms']],
    types: [
      ...['road', 'accounts', 'updates', 'streams', 'broadcast', 'spool', 'ingest', 'cluster'],
    ],
  },
  // The page knows the gateway by its routes, as any other caller does.
  dashboard: { values: ['system'], types: [] },
  // Never platforms or limits: a simulator that shares the code it tests shares its mistakes.
  sim: { values: ['domain', 'system'], types: [] },
  // A face for one library; it sees the gateway as its users do.
  grammy: { values: [], types: ['http'] },
  cli: {
    values: ['app', 'config', 'sim', 'accounts', 'system', 'domain', 'store', 'platforms', 'mcp'],
    types: [],
  },
};

// Their files are words, types and tools, each an entry of its own.
export const OPEN_FOLDERS = ['domain', 'system', 'road', 'accept', 'cluster'];

// The file that bears the folder's name, where it is not `<folder>/<folder>.ts`; a folder: every file in it.
export const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  // The port, what is known of a platform before it is opened, all of them, and the port of ingest.
  platforms: [
    ...['platforms/platform.ts', 'platforms/definition.ts', 'platforms/registry.ts'],
    'platforms/history.ts',
  ],
  // What it resolves to, and what rows of its table are made of.
  config: ['config/config.ts', 'config/setting-row.ts', 'config/parse.ts'],
  app: ['app/gateway.ts', 'app/simulated.ts'],
  text: ['text/commonmark.ts', 'text/rich-text.ts', 'text/split.ts', 'text/valid-entities.ts'],
  // What live output offers, and how a body becomes a stream.
  streams: ['streams/streams.ts', 'streams/feed/feed.ts'],
  // What it offers, and the readers of lists.
  broadcast: ['broadcast/broadcast.ts', 'broadcast/lists/'],
  // The ports, and the hand tools of a store.
  store: [
    'store/ports/',
    ...['snapshot', 'restore', 'record'].map((tool) => `store/sqlite/files/${tool}.ts`),
    'store/move/move.ts',
  ],
  dispatch: ['dispatch/loop.ts'],
  http: ['http/in-process.ts'],
};

// They build the gateway and may open inner entries.
export const BUILDERS = /^src\/(app\/|index\.ts$)/;

// Pure folders: no node: module, no package.
export const PURE_FOLDERS = ['domain', 'limits', 'scheduler', 'text'];

export function entriesOf(folder: string): readonly string[] {
  return ENTRIES[folder] ?? [`${folder}/${folder}.ts`];
}

export function folderOf(path: string): string | null {
  const match = /^src\/([^/]+)\/.+/.exec(path);
  return match === null ? null : match[1]!;
}
