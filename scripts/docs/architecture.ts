// The generated parts of docs/ARCHITECTURE.md: the tree of src/, a line per folder, and the table of who may import
// whom, from the rules that test/tidy.test.ts enforces. The rest of the page is written by hand and kept as it is.

import { existsSync } from 'node:fs';
import {
  ENTRIES,
  entriesOf,
  FOLDER_RULES,
  OPEN_FOLDERS,
  PURE_FOLDERS,
} from '../../test/tidy/folders.ts';
import { table } from './table.ts';

// In the order of a reader: composition, the way of a delivery, what feeds it, what serves it, what stands beside it.
export const FOLDERS: Readonly<Record<string, string>> = {
  app: 'composition: opens store, accounts and platforms, starts and stops everything',
  domain: 'shared types and tables: delivery and its moves, outcome, priority, ids, errors, events',
  system:
    'the outside, injected: clock, random, HTTP transport, SQLite, log, periodic work, shutdown',
  config: 'one table of settings, read into a frozen `Config`',
  http: 'routes, authentication, request bounds, platforms’ own APIs as drop-ins, OpenAPI, events, health',
  accept: 'a request becomes a delivery, and its receipt; knows no HTTP',
  road: 'the port through which everything submits and asks: types only',
  store: 'the durable truth: ports, memory (the specification), SQLite, Postgres, contract suite',
  ledger: 'the reading port: attempts, history, search; retention',
  limits: 'when may a call go? windows, freezes, learned rates; pure',
  scheduler: 'which delivery goes next? lanes, classes, fairness; pure',
  dispatch: 'the loop: begin, send, settle, breakers, recovery',
  platforms:
    'the port, what platforms share, and a folder per platform: describe, send, classify, limits',
  text: 'Markdown of language models, rich text, splitting; pure',
  accounts: 'whose token is it; tokens encrypted at rest',
  keys: 'API keys, virtual tokens, scopes, sessions',
  spool: 'uploaded files on disk until their delivery has ended',
  updates: 'updates of the platform: recorded, forwarded in order, who wrote when',
  streams: 'texts that grow: pacing, previews, finals',
  broadcast: 'one message to many chats: audiences, feeding, outcomes',
  ingest: 'channels are read: when, how far, and what becomes of an answer',
  cluster: 'nodes of a fleet: who is alive, who owns which account, how a request finds its owner',
  telemetry: 'metrics and log lines, computed from the events of the road',
  dashboard:
    'the web page: built, served; `web/` runs in the browser and uses the public routes only',
  cli: 'one file or folder per command',
  mcp: 'tools for agents: the Model Context Protocol over calls of REST',
  grammy: 'a transformer for grammY: its calls over the road, in process',
  sim: 'simulators of platforms, and the simulated world with its checkers',
};

// `current`: the page as it is; what stands between the markers is replaced.
export function architecturePage(current: string): string {
  return between(between(current, 'tree', tree()), 'imports', imports());
}

function tree(): string {
  const missing = ['app', ...Object.keys(FOLDER_RULES)].filter((folder) => !(folder in FOLDERS));
  const gone = Object.keys(FOLDERS).filter(
    (folder) => folder !== 'app' && !(folder in FOLDER_RULES),
  );
  if (missing.length + gone.length > 0) {
    throw new Error(`FOLDERS of scripts/docs/architecture.ts: missing ${missing}; gone ${gone}`);
  }
  const lines = Object.entries(FOLDERS).map(
    ([name, holds]) => `  ${`${name}/`.padEnd(12)} ${holds}`,
  );
  return ['```', 'src/', '  index.ts     the library: `createGateway`', ...lines, '```'].join('\n');
}

function imports(): string {
  const rows = Object.keys(FOLDERS).map((name) => {
    const rule = FOLDER_RULES[name];
    if (rule === undefined) return [`\`${name}\``, 'anything', '', entriesShown(name)];
    return [folderOf(name), list(rule.values), list(rule.types), entriesShown(name)];
  });
  return table(['folder', 'may import', 'types only', 'is entered through'], rows);
}

function folderOf(name: string): string {
  return PURE_FOLDERS.includes(name) ? `\`${name}\` (pure)` : `\`${name}\``;
}

function entriesShown(name: string): string {
  if (OPEN_FOLDERS.includes(name) && ENTRIES[name] === undefined) return 'any file';
  const entries = entriesOf(name).filter((path) =>
    existsSync(new URL(`../../src/${path}`, import.meta.url)),
  );
  if (entries.length === 0) return '`app` alone';
  return entries.map((path) => `\`${path.slice(name.length + 1)}\``).join(', ');
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function between(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: made by \`npm run docs\` -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`docs/ARCHITECTURE.md lacks the markers of ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
