// npm run pack: the package as others install it, in dist/ (or the folder that is named). Node strips no types under
// node_modules, so it holds JavaScript and declarations instead of the sources, and the page as it was built.
// --unchecked: for those who have just checked the types.

import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BUILT, stampOf } from '../src/dashboard/stamp.ts';
import { ROOT, run } from './run.ts';

// What the compiler leaves as it is: addresses of threads, the launcher's import, and the imports of declarations.
const ADDRESS = /(new URL\(|import\(|from )(['"])(\.[^'"]+)\.ts\2/g;
const CODE = /(?<!\.client)\.(js|d\.ts)$/;
const ASSETS = ['src/http/docs/docs.css', 'src/http/docs/docs.client.js'];
// What the launcher asks for; a test compares them.
const NODE_MAJOR_MIN = 24;
const NODES = /^node-(?:darwin|linux|win)-/;
const PAPERS = ['README.md', 'LICENSE', 'CHANGELOG.md'];

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const UNCHECKED = '--unchecked';
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(
    `npm run pack [-- FOLDER] [${UNCHECKED}]\n\nMakes the package that others install in FOLDER, or in dist/.`,
  );
  process.exit(0);
}
const [folder = join(ROOT, 'dist')] = args.filter((each) => each !== UNCHECKED);
const checks = args.includes(UNCHECKED) ? ['--noCheck'] : [];
const target = resolve(folder);
const stage = join(target, 'package');

await rm(stage, { recursive: true, force: true });
await mkdir(stage, { recursive: true });
tell('compiles');
await step('tsc', ['-p', 'tsconfig.package.json', '--outDir', join(stage, 'src'), ...checks]);
tell('builds the page');
await step(process.execPath, ['src/dashboard/build.ts']);
tell('copies');
for (const path of ['bin', ...ASSETS, ...PAPERS, await pageFolder()]) {
  await cp(join(ROOT, path), join(stage, path), { recursive: true });
}
await nameEmitted(join(stage, 'src'));
await nameEmitted(join(stage, 'bin'));
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
await writeFile(join(stage, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
tell('packs');
const packed = await step('npm', ['pack', stage, '--pack-destination', target, '--silent']);
console.log(join(target, packed.trim()));

// On stderr: stdout has the path of the package alone.
function tell(what: string): void {
  console.error(`pack: ${what} …`);
}

async function step(command: string, args: readonly string[]): Promise<string> {
  const { code, output } = await run(command, args);
  if (code === 0) return output;
  console.error(`${basename(command)} ${args.join(' ')} failed:\n${output}`);
  process.exit(1);
}

async function pageFolder(): Promise<string> {
  return join(BUILT.slice(ROOT.length), String(await stampOf()));
}

async function nameEmitted(folder: string): Promise<void> {
  for (const path of await readdir(folder, { recursive: true })) {
    if (!CODE.test(path)) continue;
    const file = join(folder, path);
    await writeFile(file, (await readFile(file, 'utf8')).replace(ADDRESS, '$1$2$3.js$2'));
  }
}

// Without what only those who work on it need. Nor does it bring a Node along: as a dependency that would become the
// Node of its user's own scripts. Other optional packages stay. Its declarations name types of Node, so it brings those
// along; of any newer version, so that the app's own copy serves both.
function published(whole: Manifest) {
  const { private: _, scripts, devDependencies, ...kept } = whole;
  const { dependencies, optionalDependencies, exports, ...rest } = kept;
  const emitted = Object.entries(exports).map(([name, path]) => {
    const stem = path.replace(/\.ts$/, '');
    return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }];
  });
  const optional = Object.entries(optionalDependencies).filter(([name]) => !NODES.test(name));
  return {
    ...rest,
    dependencies: { ...dependencies, '@types/node': `>=${NODE_MAJOR_MIN}` },
    engines: { node: `>=${NODE_MAJOR_MIN}` },
    optionalDependencies: Object.fromEntries(optional),
    exports: Object.fromEntries(emitted),
  };
}
