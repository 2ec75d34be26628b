// The package as a stranger installs it: packed, unpacked into the node_modules of an app that knows nothing of this
// repository, imported there, type-checked there, and started there.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// What the app brings itself.
const OF_THE_APP = ['grammy', 'typescript'];
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'));
const modules = join(folder, 'node_modules');
const installed = join(modules, 'sluice');
const run = (command: string, args: readonly string[]) =>
  promisify(execFile)(command, args, { cwd: folder });

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

let manifest: Manifest;
let tarball = '';

beforeAll(async () => {
  // The checks of the types run before the tests.
  const args = [join(ROOT, 'scripts/pack.ts'), folder, '--unchecked'];
  const packed = await run(process.execPath, args);
  tarball = packed.stdout.trim();
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
  for (const name of [...Object.keys(manifest.dependencies), ...OF_THE_APP]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('is imported and sends, by itself and for grammY', async () => {
  writeFileSync(
    join(folder, 'app.js'),
    `import { Bot } from 'grammy';
    import { createGateway } from 'sluice';
    import { sluice } from 'sluice/grammy';
    const token = '1:sandbox';
    const gateway = await createGateway({ data: './data' });
    const to = { platform: 'telegram', account: token, chat: 42 };
    const sent = await gateway.send({ to, body: { text: 'hello' }, wait: 30 });
    const bot = new Bot(token);
    bot.api.config.use(sluice(gateway, token));
    const { text } = await bot.api.sendMessage(42, 'and again');
    await gateway.close();
    console.log(sent.state, text);`,
  );
  expect((await run(process.execPath, ['app.js'])).stdout).toBe('sent and again\n');
});

test('is required by CommonJS', async () => {
  writeFileSync(
    join(folder, 'app.cjs'),
    `const { createGateway } = require('sluice');
    const { sluice } = require('sluice/grammy');
    const to = { platform: 'telegram', account: '1:sandbox', chat: 42 };
    createGateway({ data: './data-cjs' }).then(async (gateway) => {
      const { state } = await gateway.send({ to, body: { text: 'hello' }, wait: 30 });
      await gateway.close();
      console.log(state, typeof sluice(gateway, '1:sandbox'));
    });`,
  );
  expect((await run(process.execPath, ['app.cjs'])).stdout).toBe('sent function\n');
});

test('tells an old Node what it needs', async () => {
  const old = 'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })';
  const args = ['--import', `data:text/javascript,${old}`];
  for (const load of ['await import("sluice")', 'require("sluice")']) {
    const kind = load.startsWith('await') ? ['--input-type=module'] : ['--input-type=commonjs'];
    const failed = await run(process.execPath, [...args, ...kind, '-e', load]).catch(
      (error) => error,
    );
    expect(failed.stderr).toContain('sluice needs Node 24 or newer');
  }
});

const TYPED = `import { Bot } from 'grammy';
    import { createGateway, type MessageStory, type Problem, type Receipt } from 'sluice';
    import { sluice } from 'sluice/grammy';
    const gateway = await createGateway({ data: './data' });
    const to = { platform: 'telegram', account: '1:sandbox', chat: 42 };
    const sent = await gateway.send({ to, body: { text: 'hello' } });
    export const receipt: Receipt | null = 'code' in sent ? null : sent;
    const story: MessageStory | Problem = await gateway.get('x');
    const page = await gateway.dead.list({ limit: 5 });
    export const reasons = 'code' in page ? [story] : page.items.map(({ reason }) => reason);
    await gateway.listen({ host: '127.0.0.1', port: 0 });
    new Bot('1:sandbox').api.config.use(sluice(gateway, '1:sandbox'));
    // @ts-expect-error a misspelt setting
    await createGateway({ dta: './data' });`;
const PLAIN = `import { createGateway, type Gateway } from 'sluice';
    export const opened: Promise<Gateway> = createGateway({ data: './data', port: 0 });`;

test('has types that help, also an older target and CommonJS, with every check on', async () => {
  const files = { 'typed.ts': TYPED, 'plain.ts': PLAIN, 'plain.cts': PLAIN };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  expect(await typeErrors(Object.keys(files))).toEqual([]);
});

// With the declarations of the packages checked as well, in an app that names no types of its own.
async function typeErrors(files: readonly string[]): Promise<string[]> {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', types: [], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    skipLibCheck: false,
  };
  const config = JSON.stringify({ compilerOptions, files });
  writeFileSync(join(folder, 'tsconfig.json'), config);
  // Several checkers would each check for themselves what they have in common.
  const { stdout } = await run(TSC, ['-p', '.', '--checkers', '1']).catch((failed) => failed);
  // grammY's own declarations want a package that nobody needs at run time.
  const errors = (stdout as string).match(/^.*error TS.*$/gm) ?? [];
  return errors.filter((line) => !line.includes('/grammy/out/'));
}

test('is started by its command, and has its page', async () => {
  const bin = join(installed, 'bin', 'sluice.js');
  const args = ['serve', '--port', '0', '--data', join(folder, 'served'), '--log', 'error'];
  const gateway = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  gateway.stdout.setEncoding('utf8');
  while (!said.includes('listens on')) said += String(await once(gateway.stdout, 'data'));
  const url = /http:[^\s;]+/.exec(said)![0];
  const page = await (await fetch(url)).text();
  const script = /src="([^"]+\.js)"/.exec(page)![1]!;
  expect((await fetch(new URL(script, url))).status).toBe(200);
  expect((await fetch(new URL('/docs', url))).status).toBe(200);
  gateway.kill('SIGTERM');
  expect(await once(gateway, 'exit')).toEqual([0, null]);
});

test('brings no Node along, and asks for the one its launcher asks for', () => {
  const launcher = readFileSync(join(installed, 'bin', 'sluice.js'), 'utf8');
  const [, major] = /NODE_MAJOR_MIN = (\d+)/.exec(launcher)!;
  expect(manifest.engines.node).toBe(`>=${major}`);
  const optional = Object.keys(manifest.optionalDependencies);
  expect(optional.filter((name) => /^node-/.test(name))).toEqual([]);
  expect(optional).toContain('@mtcute/core');
  expect(manifest).not.toHaveProperty('private');
  const entry = readFileSync(join(installed, 'src', 'index.js'), 'utf8');
  expect(/NODE_MAJOR_MIN = (\d+)/.exec(entry)![1]).toBe(major);
});

// As npm does it, with what the registry has: only where there is one.
const hasRegistry = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000']).then(
  () => true,
  () => false,
);

test.skipIf(!hasRegistry)(
  'is installed by npm into an empty folder',
  async () => {
    const empty = mkdtempSync(join(tmpdir(), 'sluice-installed-'));
    const inside = (command: string, args: readonly string[]) =>
      promisify(execFile)(command, args, { cwd: empty });
    try {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      writeFileSync(join(empty, 'package.json'), '{}');
      await inside('npm', ['install', ...quiet, tarball]);
      const app = `import('sluice').then(async ({ createGateway }) => {
      const gateway = await createGateway({ data: './data' });
      const to = { platform: 'telegram', account: '1:sandbox', chat: 42 };
      console.log((await gateway.send({ to, body: { text: 'hello' }, wait: 30 })).state);
      await gateway.close();
    })`;
      expect((await inside(process.execPath, ['-e', app])).stdout).toBe('sent\n');
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  },
  180_000,
);
