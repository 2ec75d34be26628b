// A Chromium for the tests and pictures of the page. Installs it where that is possible without asking, else says in
// one line what is missing.

import { existsSync } from 'node:fs';
import { run } from './run.ts';

// Where systems put it; the first that is there is taken.
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

// Its path; null: there is none, which was said.
export async function ensureChromium(): Promise<string | null> {
  const there = findChromium();
  if (there !== null) return there;
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    console.error('chromium is missing; installing it');
    const quiet = ['-qq', '-y', '--no-install-recommends'];
    await run('apt-get', ['update', '-qq']).catch(() => null);
    await run('apt-get', ['install', ...quiet, 'chromium', 'fonts-dejavu-core']).catch(() => null);
  }
  const found = findChromium();
  if (found === null) {
    console.error('chromium is missing: install it (apt-get install chromium) and run again');
  }
  return found;
}

function findChromium(): string | null {
  return PLACES.find((place) => existsSync(place)) ?? null;
}

if (import.meta.main) process.exit((await ensureChromium()) === null ? 1 : 0);
