// The pages say what the code does: every setting, error, metric and move is in the docs, and nothing else is.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cliPage } from '../scripts/docs/cli.ts';
import { DIALECT_ROUTES } from '../scripts/docs/dialects.ts';
import { membersOf } from '../scripts/docs/library.ts';
import { createProgram } from '../src/cli/program.ts';
import { CLIENT_VARIABLES, SETTING_KEYS, settingOf, variableOf } from '../src/config/config.ts';
import { FAMILIES } from '../src/domain/call.ts';
import { MOVES, STATES } from '../src/domain/delivery.ts';
import { ERRORS } from '../src/domain/errors.ts';
import { ROLES } from '../src/domain/role.ts';
import type { Access } from '../src/http/auth/access.ts';
import { PAGE_ROUTES } from '../src/http/page.ts';
import { ROUTES } from '../src/http/route-list.ts';
import { DISCORD_LIMITS_DEFAULT, discordPriors } from '../src/platforms/discord/limits.ts';
import { slackPriors } from '../src/platforms/slack/calls.ts';
import { SLACK_SETTINGS } from '../src/platforms/slack/settings.ts';
import { BUDGETS } from '../src/platforms/telegram/budgets.ts';
import { TELEGRAM_LIMITS_DEFAULT, telegramPriors } from '../src/platforms/telegram/telegram.ts';
import { WHATSAPP_LIMITS_DEFAULT, whatsappPriors } from '../src/platforms/whatsapp/limits.ts';
import { FAULT_KINDS } from '../src/sim/sim.ts';
import { INGEST_METRICS } from '../src/telemetry/metrics/ingest-metrics.ts';
import { METRICS } from '../src/telemetry/metrics/metrics.ts';
import { exists, readTree } from './tidy/tree.ts';

describe('the docs and the code agree both ways', () => {
  test('settings', () => {
    const settings = SETTING_KEYS.map(settingOf);
    const page = readPage('configuration.md');
    const paths = settings.map(({ section, name }) => `${section}.${name}`);
    const variables = [...settings.map(variableOf), ...CLIENT_VARIABLES];
    expect(sorted(matches(page, /^\| `([a-z]+\.[a-z_]+)` \|/gm))).toEqual(sorted(paths));
    expect(sorted(new Set(matches(page, /`(SLUICE_[A-Z_]+)`/g)))).toEqual(sorted(variables));
  });

  test('errors', () => {
    const rows = matches(readPage('reference/errors.md'), /^\| `([a-z_]+)` \| \d{3} \|/gm);
    expect(sorted(rows)).toEqual(sorted(Object.keys(ERRORS)));
  });

  test('metrics', () => {
    const rows = matches(readPage('reference/metrics.md'), /^\| `([a-z_]+)` \|/gm);
    expect(sorted(rows)).toEqual(sorted(Object.keys({ ...METRICS, ...INGEST_METRICS })));
  });

  test('the control routes, faults and limits of the simulator', () => {
    const page = readPage('use/simulator.md');
    const models = ['discord', 'slack', 'whatsapp'].map((platform) => `${platform}/model.ts`);
    const files = ['control.ts', 'telegram/control.ts', ...models];
    const sources = files.map((file) => new URL(`../src/sim/${file}`, import.meta.url));
    const code = sources.map((source) => readFileSync(source, 'utf8')).join('\n');
    const route = /((?:GET|POST) \/sim\/[a-z]+)/;
    const rows = matches(page, new RegExp(`^\\| \`${route.source}\` \\|`, 'gm'));
    const served = new Set(matches(code, new RegExp(`case '${route.source}'`, 'g')));
    expect(sorted(rows)).toEqual(sorted(served));
    const kinds = matches(page, /^\| `([a-z_]+)` \|/gm);
    expect(sorted(kinds)).toEqual(sorted(FAULT_KINDS));
    const flags = new Set(matches(page, /(--[a-z][a-z-]+)/g));
    const command = createProgram({ env: {}, out: () => {}, err: () => {} }).commands;
    const options = command.find((each) => each.name() === 'sim')!.options;
    expect(sorted(flags)).toEqual(
      sorted(options.map(({ long }) => long!).filter((long) => long !== '--host')),
    );
  });

  test('who may use which route', () => {
    const page = readPage('security.md');
    const rows = matches(page, /^\| (`[A-Z]+ \/[^|]*\|[^|]*\|[^|]*\|[^|]*)\|$/gm);
    const rowOf = (route: string, { role, reach, audit }: Access) =>
      `\`${route}\` | ${role} | ${reach} | ${audit === undefined ? '' : 'yes '}`;
    const routes = [...ROUTES, ...DIALECT_ROUTES, ...PAGE_ROUTES].map(({ method, url, access }) =>
      rowOf(`${[method].flat()[0]} ${url}`, access),
    );
    expect(sorted(rows.map((row) => row.replace(/ +$/, ' ').replace(/\| +$/, '| ')))).toEqual(
      sorted(routes),
    );
    expect(matches(page, /^\| `(viewer|sender|operator|admin)` \|/gm)).toEqual([...ROLES]);
  });

  test('the tests that show what is promised', () => {
    const page = readPage('security.md');
    const claims = page.slice(page.indexOf('| claim |'), page.indexOf('### What is not defended'));
    const rows = claims
      .split('\n')
      .filter((row) => /^\| [^*-]/.test(row))
      .slice(1);
    expect(rows.filter((row) => !/\| `(src|test)\/.*`/.test(row))).toEqual([]);
    const named = matches(claims, /`((?:src|test)\/[^`]+)`/g);
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });

  test('commands, options and examples', () => {
    expect(readPage('reference/cli.md')).toBe(cliPage());
  });

  test('the state diagram', () => {
    const edges = matches(readPage('reference/states.md'), /^ {2}(\w+ --> \w+)$/gm);
    const moves = STATES.flatMap((from) => MOVES[from].map((to) => `${from} --> ${to}`));
    expect(sorted(edges)).toEqual(sorted(moves));
  });
});

test('a public call without a doc comment stops the reference of the library', () => {
  const told = 'export interface A {\n  /** One. */\n  one(): void;\n}\n';
  expect(membersOf(told, 'A')).toEqual([{ signature: 'one(): void', comment: 'One.' }]);
  const untold = told.replace('  /** One. */\n', '');
  expect(() => membersOf(untold, 'A')).toThrow('A: one(): void has no comment');
});

// What is more than that belongs to every platform, or to nobody.
const EXAMPLE_LINES_MAX = 400;

test('no setting is without effect', () => {
  const code = Object.entries(readTree((path) => /^src\/.*\.ts$/.test(path)))
    .filter(([path]) => !path.startsWith('src/config/') && !path.endsWith('.test.ts'))
    .map(([, text]) => text)
    .join('\n');
  const idle = SETTING_KEYS.filter((key) => !new RegExp(`\\b${key}\\b`).test(code));
  expect(idle).toEqual(SETTING_KEYS.filter((key) => settingOf(key).refused !== null));
});

test('limits mean the same in the settings and on the platform', () => {
  // The operator's own rules are of no platform.
  const limits = SETTING_KEYS.map((key) => [key, settingOf(key)] as const).filter(
    ([key, { section, refused }]) =>
      section === 'limits' && refused === null && key !== 'limitRules',
  );
  const initial = Object.fromEntries(limits.map(([key, setting]) => [key, setting.initial]));
  expect(initial).toEqual({
    ...{ ...TELEGRAM_LIMITS_DEFAULT, ...DISCORD_LIMITS_DEFAULT, ...WHATSAPP_LIMITS_DEFAULT },
    // These are read from the settings themselves.
    ...{ slackMpm: SLACK_SETTINGS.slackMpm.initial },
    ...{ slackChannelBurst: SLACK_SETTINGS.slackChannelBurst.initial },
  });
  // Each of them reaches the rules by which the platform paces: changed, its plans are others.
  const before = plansOf({});
  for (const [key, { initial: value }] of limits) {
    const others = value === null ? [7] : [Number(value) / 2, Number(value) * 2];
    const plans = others.map((other) => plansOf({ [key]: other }));
    expect([key, plans.some((each) => each !== before)]).toEqual([key, true]);
  }
});

// Of every kind of call, as text.
function plansOf(limits: Record<string, number>): string {
  const { planOf } = telegramPriors(limits);
  const discord = discordPriors(limits);
  const whatsapp = whatsappPriors(limits);
  const slack = slackPriors(limits);
  const charges = ['5', '-5'].flatMap((chat) =>
    FAMILIES.flatMap((family) =>
      BUDGETS.names.flatMap((budget) =>
        [true, false].map((live) => ({ chat, family, budget, live, user: 'u', cost: 1 })),
      ),
    ),
  );
  const methods = charges.map((charge) => ({ ...charge, method: 'executeWebhook' }));
  const plans = charges.map((charge) => [
    ...[planOf(charge), discord.planOf(charge), whatsapp.planOf(charge), slack.planOf(charge)],
  ]);
  return JSON.stringify([...plans, methods.map((charge) => discord.planOf(charge))]);
}

describe('the pages and the tree agree', () => {
  const pages = readTree((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');

  test('the way of a delivery and the ten questions name files, and what is in them', () => {
    const page = readPage('ARCHITECTURE.md');
    const rows = [...page.matchAll(/^\|.*\| `(src\/[^`]+\.ts)` \| `(\w+)` \|/gm)];
    const way = rows.filter(([row]) => /^\| \d \|/.test(row));
    const questions = rows.filter(([row]) => /^\| Where .*\? \|/.test(row));
    expect([way.length, questions.length, rows.length]).toEqual([8, 10, 18]);
    const wrong = rows.filter(([, path, name]) => !isIn(path!, name!));
    expect(wrong.map(([row]) => row)).toEqual([]);
    expect(isIn('src/dispatch/settle.ts', 'sett')).toBe(false);
    expect(isIn('src/dispatch/gone.ts', 'settle')).toBe(false);
  });

  test('the worked example of a platform goes through every file of its folder', () => {
    const page = readPage('internals/adding-a-platform.md');
    const rows = [...page.matchAll(/^\| \d+ \| `(src\/[^`]+\.ts)` \| `(\w+)` \|/gm)];
    expect(rows.filter(([, path, name]) => !isIn(path!, name!)).map(([row]) => row)).toEqual([]);
    const isOfIt = (path: string) => /^src\/platforms\/slack\/[\w-]+\.ts$/.test(path);
    const files = Object.keys(readTree(isOfIt));
    expect(sorted(rows.map(([, path]) => path!))).toEqual(sorted(files));
  });

  test('the worked example of a platform is at most 400 lines beside its simulator', () => {
    const isCode = (path: string) => /^src\/platforms\/slack\/.*(?<!\.test)\.ts$/.test(path);
    const texts = Object.values(readTree(isCode));
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    expect(texts.length).toBeGreaterThan(5);
    expect(lines).toBeLessThanOrEqual(EXAMPLE_LINES_MAX);
  });

  test('every file and folder that a page names exists', () => {
    const named = Object.entries(pages).flatMap(([page, text]) =>
      pathsIn(text).map((path) => ({ page, path })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ path }) => !exists(path))).toEqual([]);
    expect(pathsIn('see `src/a.ts`, `src/b/` and `src/<name>`, `test/*.ts`')).toEqual([
      'src/a.ts',
      'src/b',
    ]);
  });

  test('the index leads to every page', () => {
    const index = readPage('README.md');
    const below = Object.keys(pages).filter((path) => /^docs\/.+\.md$/.test(path));
    const linked = matches(index, /\]\(([^)#]+)\)/g);
    const lost = below.filter((path) => !linked.includes(path.slice('docs/'.length)));
    expect(lost).toEqual(['docs/README.md']);
  });
});

test('every dependency says what it saves', () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  const page = readPage('ARCHITECTURE.md');
  const taken = page.slice(page.indexOf('## What we take'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(names.filter((name) => !taken.includes(`\`${name}\``))).toEqual([]);
});

function readPage(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');
}

function isIn(path: string, name: string): boolean {
  if (!exists(path)) return false;
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  return new RegExp(`\\b${name}\\b`).test(text);
}

// Paths of the repository in code spans; patterns are left out.
function pathsIn(text: string): string[] {
  return matches(text, /`((?:src|test|bench|scripts|deploy|bin|examples)\/[\w./-]*\w)\/?`/g);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}

function sorted(items: Iterable<string>): string[] {
  return [...items].sort();
}
