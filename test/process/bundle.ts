// The command line in a few files, for the tests: they start hundreds of processes, and half of a start was to find and
// read two thousand modules. Made anew before each run, from the sources as they are. The package and bin/ have tests
// of their own, which start what users start.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'sluice-bundles');
const SOURCES = join(ROOT, 'src');
// What is loaded only when it is asked for, and may be missing.
const OPTIONAL = [/^@mtcute\//, /^@fuman\//, /^@modelcontextprotocol\//, /^vite$/];
const KEPT_MS = 3_600_000;

// Called by the test runner; what it starts inherits the name.
export async function setup(): Promise<void> {
  process.env.BUNDLED_CLI = await bundle();
}

async function bundle(): Promise<string> {
  const build = await rolldown({
    input: { cli: join(SOURCES, 'cli', 'cli.ts') },
    platform: 'node',
    external: OPTIONAL,
    logLevel: 'warn',
    plugins: [{ name: 'addresses', transform: keepAddress }],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk');
  return keep(chunks);
}

// Threads, styles and packages are found from where the source lies.
function keepAddress(code: string, id: string): string | null {
  if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
}

// Named after what is in it: the same sources are compiled once.
function keep(chunks: readonly OutputChunk[]): string {
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(fileName).update(code);
  const folder = join(CACHE, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) write(folder, chunks);
  return join(folder, 'cli.js');
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
