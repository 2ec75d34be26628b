// The rules about imports: folders and entries, no cycle, no dead file, who may touch what of Node.

import {
  BUILDERS,
  entriesOf,
  FOLDER_RULES,
  folderOf,
  OPEN_FOLDERS,
  PURE_FOLDERS,
} from './folders.ts';
import type { Import, Source } from './source.ts';

export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly detail: string;
}

const SQLITE_FILE = 'src/system/databases/sqlite.ts';
// Started by a person or a program, or the library's face; nobody imports them.
const ENTRIES = [
  'src/cli/cli.ts',
  'src/index.ts',
  'src/grammy/grammy.ts',
  'src/dashboard/web/main.tsx',
];
// The page: it runs in a browser, and is bundled with these.
const WEB = 'src/dashboard/web/';
const WEB_PACKAGES = ['preact', 'preact/hooks', 'uplot', 'eventsource-parser/stream'];

export function isTest(path: string): boolean {
  return /\.(test|contract|fixture|world)\.ts$/.test(path) || path.startsWith('test/');
}

export function folderRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const from = folderOf(source.path);
      const to = folderOf(imported.target);
      const inner = imported.target.replace(/^src\//, '');
      if (isTest(source.path) || !imported.target.startsWith('src/')) return null;
      if (from === null || from === 'app' || from === to) return null;
      const rule = FOLDER_RULES[from];
      if (rule === undefined) return `the folder ${from} has no rule`;
      const asValue = rule.values.includes(to ?? inner);
      const asType =
        imported.typeOnly && (rule.types.includes(to ?? '') || rule.types.includes(inner));
      return asValue || asType
        ? null
        : `${from} must not import ${imported.typeOnly ? '' : 'values of '}${inner}`;
    },
    'folders',
  );
}

export function entryRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const to = folderOf(imported.target);
      const inner = imported.target.replace(/^src\//, '');
      if (to === null || OPEN_FOLDERS.includes(to) || folderOf(source.path) === to) return null;
      const isFree = isTest(source.path) || !source.path.startsWith('src/');
      if (isFree || BUILDERS.test(source.path)) return null;
      if (entriesOf(to).some((entry) => opens(entry, inner))) return null;
      return `${inner} is inside its folder; the entry is ${entriesOf(to).join(', ')}`;
    },
    'entries',
  );
}

function opens(entry: string, inner: string): boolean {
  return entry.endsWith('/') ? inner.startsWith(entry) : entry === inner;
}

// What several platforms have in common; it knows none of them.
const SHARED = 'shared';

export function platformRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const from = /^src\/platforms\/([^/]+)\//.exec(source.path)?.[1];
      const to = /^src\/platforms\/([^/]+)\//.exec(imported.target)?.[1];
      const isPlatforms = to !== undefined && to !== SHARED;
      const apart = from !== undefined && isPlatforms && from !== to;
      return apart ? `${from} must not know ${to}` : null;
    },
    'platforms',
  );
}

export function nodeRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const folder = folderOf(source.path) ?? '';
      const { target } = imported;
      const outside = !target.startsWith('src/') && !target.startsWith('.');
      if (outside && PURE_FOLDERS.includes(folder) && !isTest(source.path)) {
        return `${folder} is pure and must not import ${target}`;
      }
      if (target === 'node:sqlite' && source.path !== SQLITE_FILE) {
        return `node:sqlite belongs to ${SQLITE_FILE}`;
      }
      if (target === 'fastify' && !isTest(source.path) && source.path.startsWith('src/')) {
        // The composition holds the server that it starts and stops.
        const isHeld = folder === 'app' && imported.typeOnly;
        if (folder !== 'http' && !isHeld)
          return 'only http touches requests and replies: return a value';
      }
      const isTime = /^node:(timers|perf_hooks)/.test(target);
      return isTime && folder !== 'system' ? `${target} belongs to src/system` : null;
    },
    'node',
  );
}

export function webRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, { target }) => {
      if (source.path.startsWith(WEB)) {
        const isThere = target.startsWith(WEB) || WEB_PACKAGES.includes(target);
        return isThere ? null : `the page must not import ${target}`;
      }
      return target.startsWith(WEB) ? `${target} runs in a browser` : null;
    },
    'web',
  );
}

export function noCycle(sources: readonly Source[]): Violation[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const state = new Map<string, 'open' | 'done'>();
  const found: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      const cycle = [...trail.slice(trail.indexOf(path)), path].join(' → ');
      found.push({ rule: 'cycle', path, detail: cycle });
      return;
    }
    state.set(path, 'open');
    for (const imported of byPath.get(path)?.imports ?? []) {
      if (byPath.has(imported.target) && !imported.isThread)
        visit(imported.target, [...trail, path]);
    }
    state.set(path, 'done');
  };
  for (const path of byPath.keys()) visit(path, []);
  return found;
}

// A file that only tests import is dead too.
export function noDeadFile(sources: readonly Source[]): Violation[] {
  const alive = new Set<string>();
  for (const source of sources) {
    for (const { target } of source.imports) {
      if (target !== source.path && (!isTest(source.path) || isTest(target))) alive.add(target);
    }
  }
  return sources
    .map((source) => source.path)
    .filter((path) => path.startsWith('src/') && !/\.test\.ts$/.test(path))
    .filter((path) => !ENTRIES.includes(path) && !alive.has(path))
    .map((path) => ({ rule: 'dead', path, detail: 'nobody imports it, and it is no entry' }));
}

function forEachImport(
  sources: readonly Source[],
  judge: (source: Source, imported: Import) => string | null,
  rule: string,
): Violation[] {
  return sources.flatMap((source) =>
    source.imports.flatMap((imported) => {
      const detail = judge(source, imported);
      return detail === null ? [] : [{ rule, path: source.path, detail }];
    }),
  );
}
