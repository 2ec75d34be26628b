// The rules about imports: rooms and doors, no cycle, no dead file, who may touch what of Node.

import { BUILDERS, doorsOf, OPEN_ROOMS, PURE_ROOMS, ROOMS, roomOf } from './rooms.ts';
import type { Import, Source } from './source.ts';

export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly detail: string;
}

const SQLITE_FILE = 'src/system/sqlite.ts';
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

export function roomRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const from = roomOf(source.path);
      const to = roomOf(imported.target);
      const inner = imported.target.replace(/^src\//, '');
      if (isTest(source.path) || !imported.target.startsWith('src/')) return null;
      if (from === null || from === 'app' || from === to) return null;
      const rule = ROOMS[from];
      if (rule === undefined) return `the room ${from} has no rule`;
      const asValue = rule.values.includes(to ?? inner);
      const asType =
        imported.typeOnly && (rule.types.includes(to ?? '') || rule.types.includes(inner));
      return asValue || asType
        ? null
        : `${from} must not import ${imported.typeOnly ? '' : 'values of '}${inner}`;
    },
    'rooms',
  );
}

export function doorRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const to = roomOf(imported.target);
      const inner = imported.target.replace(/^src\//, '');
      if (to === null || OPEN_ROOMS.includes(to) || roomOf(source.path) === to) return null;
      const isFree = isTest(source.path) || !source.path.startsWith('src/');
      if (isFree || BUILDERS.test(source.path)) return null;
      if (doorsOf(to).some((door) => opens(door, inner))) return null;
      return `${inner} is inside its room; the door is ${doorsOf(to).join(', ')}`;
    },
    'doors',
  );
}

function opens(door: string, inner: string): boolean {
  return door.endsWith('/') ? inner.startsWith(door) : door === inner;
}

export function platformRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const from = /^src\/platforms\/([^/]+)\//.exec(source.path)?.[1];
      const to = /^src\/platforms\/([^/]+)\//.exec(imported.target)?.[1];
      const apart = from !== undefined && to !== undefined && from !== to;
      return apart ? `${from} must not know ${to}` : null;
    },
    'platforms',
  );
}

export function nodeRules(sources: readonly Source[]): Violation[] {
  return forEachImport(
    sources,
    (source, imported) => {
      const room = roomOf(source.path) ?? '';
      const { target } = imported;
      const outside = !target.startsWith('src/') && !target.startsWith('.');
      if (outside && PURE_ROOMS.includes(room) && !isTest(source.path)) {
        return `${room} is pure and must not import ${target}`;
      }
      if (target === 'node:sqlite' && source.path !== SQLITE_FILE) {
        return `node:sqlite belongs to ${SQLITE_FILE}`;
      }
      const isTime = /^node:(timers|perf_hooks)/.test(target);
      return isTime && room !== 'system' ? `${target} belongs to src/system` : null;
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
