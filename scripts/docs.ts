// Writes the pages of docs/ that come from tables in the code. `--check` writes nothing and fails if one is stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationPage } from './docs/configuration.ts';
import { errorsPage } from './docs/errors.ts';
import { metricsPage } from './docs/metrics.ts';
import { statesPage } from './docs/states.ts';

const PAGES = {
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsPage,
  'docs/metrics.md': metricsPage,
  'docs/states.md': statesPage,
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [name, page] of Object.entries(PAGES)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const text = page();
  if (read(path) === text) continue;
  stale.push(name);
  if (!isCheck) writeFileSync(path, text);
}
if (isCheck && stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run \`npm run docs\``);
  process.exit(1);
}
console.log(isCheck || stale.length === 0 ? 'docs are up to date' : `wrote ${stale.join(', ')}`);

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
