// The command line in a few files, for the tests: they start hundreds of processes, and half of a start was to find and
// read two thousand modules. Made anew before each run, from the sources as they are. The package and bin/ have tests
// of their own, which start what users start.

import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'sluice-bundles');
const SOURCES = join(ROOT, 'src');
// A process of one test, started as often.
const WRITER = join(ROOT, 'test', 'process', 'writer.ts');
// What is loaded only when it is asked for, and may be missing.
const OPTIONAL = [/^@mtcute\//, /^@fuman\//, /^@modelcontextprotocol\//, /^vite$/];
// Threads that a gateway starts; each is found from the source that starts it.
const THREADS = Object.fromEntries(
  globSync('**/*worker.ts', { cwd: SOURCES }).map((path) => [nameOf(path), join(SOURCES, path)]),
);
const THREAD = /new URL\('(\.\/[\w-]*worker\.ts)', import\.meta\.url\)/g;
const REQUIRED = /createRequire\(import\.meta\.url\)(?=\('[\w-]+'\))/g;
const OF_THE_BUNDLE = '__address_of_the_bundle__';
// Long worlds play one for hours.
const KEPT_MS = 12 * 3_600_000;

// Called by the test runner; what it starts inherits the name.
export async function setup(): Promise<void> {
  process.env.BUNDLED_CLI = await bundle();
}

// For sources that a test loads itself: their threads come from the bundle too.
export function withBundledThreads(code: string, id: string): string | null {
  const cli = process.env.BUNDLED_CLI;
  if (cli === undefined || !id.startsWith(SOURCES) || !code.includes('worker.ts')) return null;
  const at = JSON.stringify(pathToFileURL(cli).href);
  return code.replaceAll(THREAD, (_, path) => `new URL('./${threadName(id, path)}.js', ${at})`);
}

// Which bundle a source names, once it is transformed.
export function bundleOf({ sourceCode }: { sourceCode: string }): string | undefined {
  return sourceCode.includes('worker.ts') ? process.env.BUNDLED_CLI : undefined;
}

export async function bundle(): Promise<string> {
  const cli = join(SOURCES, 'cli', 'cli.ts');
  return keep(await chunksOf({ cli, writer: WRITER, ...THREADS }));
}

// The same for the same sources, whatever else has changed.
export async function printOf(entries: readonly string[]): Promise<string> {
  const named = entries.map((path) => [path, join(SOURCES, path)]);
  return hashOf(await chunksOf(Object.fromEntries(named)));
}

async function chunksOf(input: Record<string, string>): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    input,
    platform: 'node',
    external: OPTIONAL,
    logLevel: 'warn',
    plugins: [{ name: 'addresses', transform: keepAddress }],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output.filter((one): one is OutputChunk => one.type === 'chunk');
}

// Styles and packages are found from where the source lies; threads, and what is required, lie in the bundle.
function keepAddress(code: string, id: string): string | null {
  if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
  return code
    .replaceAll(THREAD, (_, path) => `new URL('./${threadName(id, path)}.js', ${OF_THE_BUNDLE})`)
    .replaceAll(REQUIRED, 'require')
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll(OF_THE_BUNDLE, 'import.meta.url');
}

function threadName(starter: string, path: string): string {
  return nameOf(join(dirname(relative(SOURCES, starter)), path));
}

// store/sqlite/worker.ts → store-sqlite-worker
function nameOf(path: string): string {
  return path.replace(/\.ts$/, '').replaceAll('/', '-');
}

// Named after what is in it: the same sources are compiled once.
function keep(chunks: readonly OutputChunk[]): string {
  const folder = join(CACHE, hashOf(chunks));
  if (!existsSync(folder)) write(folder, chunks);
  return join(folder, 'cli.js');
}

function hashOf(chunks: readonly OutputChunk[]): string {
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(fileName).update(code);
  return hash.digest('hex').slice(0, 16);
}

function write(folder: string, chunks: readonly OutputChunk[]): void {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    const old = join(CACHE, name);
    // Another run may be using a younger one.
    if (Date.now() - statSync(old).mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
  const half = `${folder}.${process.pid}`;
  mkdirSync(half);
  writeFileSync(join(half, 'package.json'), '{"type":"module"}');
  for (const { fileName, code } of chunks) writeFileSync(join(half, fileName), code);
  // Whoever else has made it meanwhile has made the same.
  if (existsSync(folder)) rmSync(half, { recursive: true });
  else renameSync(half, folder);
}
