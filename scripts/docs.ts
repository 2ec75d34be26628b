// Writes the pages of docs/ and the dashboards that come from tables in the code. `--check` writes nothing and fails if
// one is stale. A page that is made in part is given what it says now.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dashboardText } from './dashboards/dashboard.ts';
import { DELIVERY } from './dashboards/delivery.ts';
import { INGEST } from './dashboards/ingest.ts';
import { LIMITS } from './dashboards/limits.ts';
import { STREAMS } from './dashboards/streams.ts';
import { architecturePage } from './docs/architecture.ts';
import { cliPage } from './docs/cli.ts';
import { configurationPage } from './docs/configuration.ts';
import { errorsPage } from './docs/errors.ts';
import { libraryPage } from './docs/library.ts';
import { metricsPage } from './docs/metrics.ts';
import { securityPage } from './docs/security.ts';
import { statesPage } from './docs/states.ts';
import { streamShapesPage } from './docs/stream-shapes.ts';

const PAGES: Readonly<Record<string, (current: string) => string>> = {
  'docs/ARCHITECTURE.md': architecturePage,
  'docs/reference/cli.md': cliPage,
  'docs/configuration.md': configurationPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/library.md': libraryPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/security.md': securityPage,
  'docs/reference/states.md': statesPage,
  'docs/reference/stream-shapes.md': streamShapesPage,
  'deploy/grafana/dashboards/delivery.json': () => dashboardText(DELIVERY),
  'deploy/grafana/dashboards/ingest.json': () => dashboardText(INGEST),
  'deploy/grafana/dashboards/limits.json': () => dashboardText(LIMITS),
  'deploy/grafana/dashboards/streams.json': () => dashboardText(STREAMS),
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [name, page] of Object.entries(PAGES)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const current = read(path);
  const text = page(current ?? '');
  if (current === text) continue;
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
