// The programs that tests and benchmarks need beside Node. Installs one where that is possible without asking, else
// says in one line what is missing.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { run } from './run.ts';

interface Tool {
  // Names on the PATH or whole paths, by system; the first that is there is taken.
  readonly programs: readonly string[];
  readonly packages: readonly string[];
}

const TOOLS = {
  alertmanager: { programs: ['amtool'], packages: ['prometheus-alertmanager'] },
  chromium: {
    // The first has no windows, which nobody sees here and which take half of the processor time of a page.
    programs: [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
  },
  'discord.py': {
    programs: ['/usr/lib/python3/dist-packages/discord/__init__.py'],
    packages: ['python3-discord'],
  },
  // Debian keeps its programs beside the PATH, by version.
  postgres: {
    programs: ['postgres', ...[18, 17, 16, 15].map((v) => `/usr/lib/postgresql/${v}/bin/postgres`)],
    packages: ['postgresql'],
  },
  prometheus: { programs: ['promtool'], packages: ['prometheus'] },
  // A library: what it is found by is its file.
  'python-telegram-bot': {
    programs: ['/usr/lib/python3/dist-packages/telegram/__init__.py'],
    packages: ['python3-python-telegram-bot'],
  },
  redis: { programs: ['redis-server'], packages: ['redis-server'] },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;
export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[];

// Two test files may ask at once, and apt refuses the second: it waits here, and then finds the program there.
const APT_FLAGS = '-qq -y --no-install-recommends -o DPkg::Lock::Timeout=300';
const LOCK = join(tmpdir(), 'sluice-apt.lock');

// The program's path; null: there is none, which was said.
export async function ensure(name: ToolName): Promise<string | null> {
  const there = find(name);
  if (there !== null) return there;
  if (process.platform === 'linux' && process.getuid?.() === 0) await install(name);
  const found = find(name);
  if (found === null) console.error(`${name} is missing: ${cure(name)} and run again`);
  return found;
}

export function cure(name: ToolName): string {
  return `install it (apt-get install ${TOOLS[name].packages.join(' ')})`;
}

function find(name: ToolName): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = TOOLS[name].programs.flatMap((program) =>
    isAbsolute(program) || program.includes('\\')
      ? [program]
      : folders.map((folder) => join(folder, program)),
  );
  return places.find((place) => existsSync(place)) ?? null;
}

async function install(name: ToolName): Promise<void> {
  console.error(`${name} is missing; installing it`);
  const { programs, packages } = TOOLS[name];
  const script = [
    `command -v ${programs[0]} && exit`,
    'apt-get update -qq',
    `exec apt-get install ${APT_FLAGS} ${packages.join(' ')}`,
  ].join('\n');
  const { code, output } = await run('flock', [LOCK, 'sh', '-c', script]).catch((error) => ({
    code: 1,
    output: String(error),
  }));
  if (code !== 0) console.error(output.trimEnd());
}

if (import.meta.main) {
  const names = process.argv.slice(2) as ToolName[];
  const unknown = names.filter((name) => !(name in TOOLS));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(TOOLS).join(', ')}`);
    process.exit(2);
  }
  let missing = 0;
  for (const name of names) if ((await ensure(name)) === null) missing++;
  process.exit(missing === 0 ? 0 : 1);
}
