// The tidy rules as a test. Each rule is run over all sources, and first shown to fail on a small bad
// sample: a rule that cannot fail keeps nothing.

import { describe, expect, test } from 'vitest';
import { PLATFORMS } from '../src/platforms/registry.ts';
import { EXCEPTIONS } from './tidy/exceptions.ts';
import {
  entryRules,
  folderRules,
  noCycle,
  noDeadFile,
  nodeRules,
  platformRules,
  type Violation,
  webRules,
} from './tidy/import-rules.ts';
import { pageRules } from './tidy/page-rules.ts';
import { KNOWING, KNOWING_MAX, NAMES, platformNames } from './tidy/platform-names.ts';
import { type Files, readSources, type Source } from './tidy/source.ts';
import {
  environment,
  folderSizes,
  head,
  noDefaultExport,
  noGivenUpWord,
  noLeftover,
  noMachine,
  sizes,
  timeAndChance,
} from './tidy/text-rules.ts';
import { exists, readTree } from './tidy/tree.ts';
import { typeNames } from './tidy/type-names.ts';

const CODE = /^(src|test|scripts|bench|examples)\/.*\.tsx?$|^[^/]+\.ts$/;
const TEXT = /\.(tsx?|js|json|ya?ml|md|html|css|sql)$|^\.ci\/|^[A-Z]+$/;

type Rule = (sources: readonly Source[]) => Violation[];
const each =
  (rule: (source: Source) => Violation[]): Rule =>
  (sources) =>
    sources.flatMap(rule);

interface Kept {
  readonly rule: Rule;
  // The second file of each pair is where the rule must find something; nothing may be found in the first.
  readonly fine: Files;
  readonly bad: Files;
}

const RULES: Readonly<Record<string, Kept>> = {
  'folders import only those they may': {
    rule: folderRules,
    fine: {
      'src/dispatch/loop.ts': "import type { Road } from '../road/road.ts';",
      'src/accounts/accounts.ts': "import type { Store } from '../store/ports/store.ts';",
      'src/cli/serve.ts': "const { run } = await import('../app/gateway.ts');",
      'src/limits/limits.test.ts': "import { world } from '../sim/sim.ts';",
    },
    bad: {
      'src/domain/a.ts': "import type { Clock } from '../system/clock.ts';",
      'src/sim/b.ts': "import { plan } from '../platforms/platform.ts';",
      'src/dispatch/c.ts': "import { Road } from '../road/road.ts';",
      'src/limits/d.ts': "type T = import('../scheduler/scheduler.ts').T;",
      'src/unlisted/e.ts': "export * from '../domain/ids.ts';",
    },
  },
  'folders are entered through their entry files': {
    rule: entryRules,
    fine: {
      'src/app/gateway.ts': "import { openSqlite } from '../store/sqlite/sqlite.ts';",
      'src/limits/limits.ts': "import { window } from './window.ts';",
      'src/accept/draft.ts': "import { formatId } from '../domain/ids.ts';",
    },
    bad: {
      'src/dispatch/a.ts': "import { openMemory } from '../store/memory/memory.ts';",
      'src/other.ts': "export { plan } from './platforms/telegram/telegram.ts';",
    },
  },
  'platforms do not know each other': {
    rule: platformRules,
    fine: {
      'src/platforms/telegram/a.ts': "import { x } from '../platform.ts';",
      'src/platforms/telegram/b.ts': "import { form } from '../shared/form.ts';",
    },
    bad: {
      'src/platforms/telegram/a.ts': "import { x } from '../discord/x.ts';",
      'src/platforms/shared/b.ts': "import { x } from '../discord/x.ts';",
    },
  },
  'a platform is named in its folder, its simulator and the registry': {
    rule: each((source) => platformNames(source)),
    fine: {
      'src/platforms/telegram/a.ts': "export const NAME = 'telegram';",
      'src/platforms/registry.ts': "import { TELEGRAM } from './telegram/definition.ts';",
      'src/sim/telegram/b.ts': '// As Telegram does.',
      'src/dispatch/dispatch.test.ts': "const ACCOUNT = 'telegram:42';",
      // A terminal is also what a command writes to.
      'src/cli/c.ts': "// Readable on a terminal.\nimport { table } from './terminal/table.ts';",
    },
    bad: {
      'src/app/a.ts': "const isIt = account.startsWith('telegram:');",
      'src/dispatch/b.ts': '// Telegram says so.',
      'src/config/c.ts': 'export const telegramApi = 1;',
      'src/app/d.ts': "import { Screens } from '../platforms/terminal/terminal.ts';",
      'src/cli/e.ts': "if (platform === 'terminal') name();",
      'src/http/f.ts': "const id = 'terminal:local';",
      'src/platforms/terminal/g.ts': "const other = 'telegram';",
    },
  },
  'Node is touched where it belongs': {
    rule: nodeRules,
    fine: {
      'src/system/databases/sqlite.ts': "import { DatabaseSync } from 'node:sqlite';",
      'src/http/server.ts': "import fastify, { type FastifyReply } from 'fastify';",
      'src/app/node.ts': "import type { FastifyInstance } from 'fastify';",
    },
    bad: {
      'src/limits/a.ts': "import { inspect } from 'node:util';",
      'src/scheduler/b.ts': "import pino from 'pino';",
      'src/store/c.ts': "import { DatabaseSync } from 'node:sqlite';",
      'src/dispatch/d.ts': "import { setTimeout } from 'node:timers/promises';",
      'src/dashboard/e.ts': "import type { FastifyReply } from 'fastify';",
      'src/app/f.ts': "import fastify from 'fastify';",
    },
  },
  'the page takes only what a browser has, and nobody takes from it': {
    rule: webRules,
    fine: {
      'src/dashboard/web/a.tsx': "import { render } from 'preact';\nimport './lib/b.ts';",
      'src/dashboard/dashboard.ts': "import { readFile } from 'node:fs/promises';",
    },
    bad: {
      'src/dashboard/web/a.tsx': "import { join } from 'node:path';",
      'src/dashboard/web/b.ts': "import type { Road } from '../../road/road.ts';",
      'src/dashboard/c.ts': "import { App } from './web/app.tsx';",
    },
  },
  'no import goes in a circle, types included': {
    rule: noCycle,
    fine: {
      'src/a.ts': "import './b.ts';\nimport './c.ts';",
      'src/b.ts': "import './c.ts';",
      'src/c.ts': "new Worker(new URL('./d.ts', import.meta.url));",
      'src/d.ts': "import type { C } from './c.ts';",
    },
    bad: {
      'src/a.ts': "import { b } from './b.ts';",
      'src/b.ts': "import type { C } from './c.ts';",
      'src/c.ts': "export type { A } from './a.ts';",
    },
  },
  'no file is dead': {
    rule: noDeadFile,
    fine: {
      'src/index.ts': "new Worker(new URL('./worker.ts', import.meta.url));",
      'src/worker.ts': '',
      'src/worker.test.ts': "import './worker.contract.ts';",
      'src/worker.contract.ts': '',
    },
    bad: { 'src/a.ts': '', 'src/a.test.ts': "import './a.ts';" },
  },
  'files, functions and lines stay short': {
    rule: each(sizes),
    fine: { 'src/a.ts': `// ${'x'.repeat(110)}\nconst a = 1;\n` },
    bad: {
      'src/lines.ts': 'a;\n'.repeat(401),
      'src/function.ts': `const f = () => {${'\n'.repeat(70)}};`,
      'src/chars.ts': `const a = ${'1 + '.repeat(25)}1;`,
    },
  },
  'folders stay small': {
    rule: folderSizes,
    fine: Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`src/a/${i}.ts`, '']).concat([
        ['src/a/0.test.ts', ''],
        ['src/a/b/0.ts', ''],
      ]),
    ),
    bad: Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`src/a/${i}.ts`, ''])),
  },
  'no two exported types have one name': {
    rule: typeNames,
    fine: {
      'src/a.ts': 'export interface A {}\nexport type B = A;',
      'src/dashboard/web/b.ts': 'export interface A {}',
      'src/c.ts': 'interface A {}',
    },
    bad: { 'src/a.ts': 'export interface A {}', 'src/b/c.ts': 'export class A {}' },
  },
  'words that were given up stay so': {
    rule: each(noGivenUpWord),
    fine: {
      'src/a.ts': 'const inFlight = unreachable.length;',
      'src/b.ts': '// A gate.\nconst gateway = navigated.gateways;',
      'src/a.test.ts': 'const flying = 1;',
      'src/cluster/a.ts': '// As far as can be told.\nconst answer = storyteller.untoldly;',
    },
    bad: {
      'src/a.ts': 'const flying = 1;',
      'src/b.ts': 'function imaginedMessage() {}',
      'src/c.ts': 'export interface IntakeOptions {}',
      'src/cluster/a.ts': 'const told = await ask();',
      'src/cluster/b.ts': 'class Road { #untold = new Set(); }',
      'src/http/fleet/a.ts': 'interface Told {}',
      'src/app/a.ts': 'const fleet = { tellOwner: () => {} };',
      'src/app/b.ts': 'const FREEZES_TOLD_MAX = 200;',
      'src/broadcast/a.ts': 'const isTold = true;',
      'src/d.ts': 'const { gate } = call;',
      'src/e.ts': 'const budgetGate = GATES[0];',
    },
  },
  'every file has a head': {
    rule: each(head),
    fine: { 'src/a.ts': '// What this is.\n' },
    bad: { 'src/a.ts': 'const a = 1;\n' },
  },
  'time and chance stay in system': {
    rule: each(timeAndChance),
    fine: {
      'src/system/clock.ts': 'Date.now();',
      'src/dashboard/web/lib/browser.ts': 'setTimeout(f, 1);',
      'src/a.ts': "clock.now(); new Date(0); const s = 'Date.now()'; // Date.now()\n",
    },
    bad: {
      'src/a.ts': 'const now = Date.now;',
      'src/b.ts': 'new Date();',
      'src/c.ts': 'later(setTimeout);',
      'src/d.ts': 'globalThis.setInterval(f, 1);',
      'src/e.ts': 'const { random } = Math;',
      'src/f.ts': 'process.hrtime.bigint();',
      'src/dashboard/web/g.tsx': 'const view = <b onClick={() => setTimeout(f, 1)} />;',
    },
  },
  'the environment is read in config and cli': {
    rule: each(environment),
    fine: { 'src/config/a.ts': 'process.env.A;', 'src/cli/b.ts': 'const { env } = process;' },
    bad: { 'src/a.ts': 'process.env.A;', 'src/b.ts': 'const { argv, env } = process;' },
  },
  'no default export': {
    rule: each(noDefaultExport),
    fine: { 'src/a.ts': 'export const a = 1;' },
    bad: {
      'src/a.ts': 'export default 1;',
      'src/b.ts': 'export default function f() {}',
      'src/c.ts': 'const a = 1; export { a as default };',
    },
  },
};

describe('the rules can fail', () => {
  test.each(Object.entries(RULES))('%s', (_, { rule, fine, bad }) => {
    expect(rule(readSources(fine))).toEqual([]);
    const found = new Set(rule(readSources(bad)).map((violation) => violation.path));
    const expected = Object.keys(bad).filter((path) => !path.endsWith('.test.ts'));
    // A cycle is reported once, where it closes; a folder that is too large once, at its first file.
    if (rule === noCycle || rule === folderSizes) expect(found.size).toBe(1);
    else expect([...found]).toEqual(expected);
  });

  test('leftovers and machine paths', () => {
    for (const bad of [`// ${'TO'}DO later`, `test.${'only'}('x')`, `describe.${'skip'}('x')`]) {
      expect(noLeftover('a.ts', bad)).toHaveLength(1);
    }
    expect(noLeftover('a.ts', 'const today = only.skip;')).toEqual([]);
    expect(noMachine('a.ts', `see ${'/work'}/x`)).toHaveLength(1);
    expect(noMachine('a.ts', 'the homework/work of src/work/x')).toEqual([]);
  });

  test('pages', () => {
    const rules = (text: string) =>
      pageRules({ 'docs/a.md': text, 'docs/b.md': '# B\n## Some part\n' }, (path) =>
        ['src', 'README.md'].includes(path),
      ).map((violation) => violation.rule);
    expect(
      rules('# A\n[b](b.md#some-part) [r](../README.md) [s](../src) [w](https://x.y)'),
    ).toEqual([]);
    expect(rules('# A\n```sh\n# not a title\n```\n')).toEqual([]);
    expect(rules('text')).toEqual(['title']);
    expect(rules('# A\n# B')).toEqual(['title']);
    expect(rules('# A\n[x](c.md)')).toEqual(['link']);
    expect(rules('# A\n[x](b.md#other)')).toEqual(['link']);
    expect(rules('# A\nsee `intake.ts:12`')).toEqual(['line-number']);
  });
});

describe('the sources keep the rules', () => {
  const sources = readSources(readTree((path) => CODE.test(path)));
  const texts = Object.entries(readTree((path) => TEXT.test(path)));
  const pages = readTree((path) => path.endsWith('.md'));
  const all: Record<string, Violation[]> = {
    'no leftovers': texts.flatMap(([path, text]) => noLeftover(path, text)),
    'nothing of a machine': texts.flatMap(([path, text]) => noMachine(path, text)),
    pages: pageRules(pages, exists),
  };
  for (const [name, { rule }] of Object.entries(RULES)) all[name] = rule(sources);

  test.each(Object.entries(all))('%s', (_, violations) => {
    const open = violations.filter((violation) => !isExcepted(violation));
    expect(open.map(({ path, detail }) => `${path}: ${detail}`)).toEqual([]);
  });

  test('who still names a platform does so: the list of them can only get shorter', () => {
    const named = sources.filter((source) => platformNames(source, []).length > 0);
    const paths = named.map(({ path }) => path);
    expect(KNOWING.filter(({ path }) => !paths.some((each) => each.startsWith(path)))).toEqual([]);
    expect(KNOWING.length).toBeLessThanOrEqual(KNOWING_MAX);
    expect(Object.keys(NAMES)).toEqual(PLATFORMS.map(({ name }) => name));
  });

  test('no exception is left over', () => {
    const needed = (exception: { rule: string; path: string }) =>
      Object.values(all)
        .flat()
        .some(({ rule, path }) => rule === exception.rule && path === exception.path);
    expect(EXCEPTIONS.filter((exception) => !needed(exception))).toEqual([]);
  });
});

function isExcepted(violation: Violation): boolean {
  return EXCEPTIONS.some(({ rule, path }) => rule === violation.rule && path === violation.path);
}
