// Writes the pages of docs/ and the dashboards that come from tables in the code. `--check` writes nothing and fails if
// one is stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dashboardText } from './dashboards/dashboard.ts';
import { DELIVERY } from './dashboards/delivery.ts';
import { LIMITS } from './dashboards/limits.ts';
import { STREAMS } from './dashboards/streams.ts';
import { cliPage } from './docs/cli.ts';
import { configurationPage } from './docs/configuration.ts';
import { errorsPage } from './docs/errors.ts';
import { metricsPage } from './docs/metrics.ts';
import { securityPage } from './docs/security.ts';
import { statesPage } from './docs/states.ts';

const PAGES = {
  'docs/cli.md': cliPage,
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsPage,
  'docs/metrics.md': metricsPage,
  'docs/security.md': securityPage,
  'docs/states.md': statesPage,
  'deploy/grafana/dashboards/delivery.json': () => dashboardText(DELIVERY),
  'deploy/grafana/dashboards/limits.json': () => dashboardText(LIMITS),
  'deploy/grafana/dashboards/streams.json': () => dashboardText(STREAMS),
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
