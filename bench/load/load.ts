// npm run load [-- NAME…] [-- --write]: loads against a real gateway process and the simulator over HTTP, one after
// the other. Prints how each stands while it runs and a table at the end, and writes a picture. `--write` puts both
// into the documentation. Fails when a message was lost, or less than a thousand a minute were sent.

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadReport } from './figures.ts';
import { pictureOf } from './picture.ts';
import { FULL, SCENARIOS } from './scenarios.ts';
import { perMinute, tablesOf, withRun } from './table.ts';

const PAGE = fileURLToPath(new URL('../../docs/internals/load.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../docs/images/load.svg', import.meta.url));
const SENT_PER_MINUTE_MIN = 1000;

const USAGE = `npm run load [-- NAME…] [--write]

Loads: ${Object.keys(SCENARIOS).join(', ')}; without a name all of them, one after the other.
--write: puts the tables and the picture into docs/.

Each shows its progress on stderr, every two seconds. It exits with 1 when a message was lost or too few were sent.`;

const { values, positionals } = readArgs();
if (values.help === true) {
  console.log(USAGE);
  process.exit(0);
}
const names = positionals.length === 0 ? Object.keys(SCENARIOS) : positionals;
const unknown = names.find((name) => SCENARIOS[name] === undefined);
if (unknown !== undefined) {
  console.error(`no load is called ${unknown}; there are: ${Object.keys(SCENARIOS).join(', ')}`);
  process.exit(2);
}

const reports: LoadReport[] = [];
for (const [i, name] of names.entries()) {
  console.error(`${name} (${i + 1} of ${names.length})`);
  reports.push(await SCENARIOS[name]!(FULL, (line) => console.error(`  ${line}`)));
}
console.log(tablesOf(reports));
const picture = values.write ? PICTURE : join(tmpdir(), 'sluice-load.svg');
writeFileSync(picture, pictureOf(reports));
if (values.write) {
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(PAGE, withRun(readFileSync(PAGE, 'utf8'), reports, date));
}
console.log(`\npicture: ${picture}`);

const broken = reports.filter(isBroken);
for (const { name, lost, sent } of broken) console.error(`${name}: ${sent} sent, ${lost} lost`);
process.exitCode = broken.length === 0 ? 0 : 1;

function readArgs() {
  try {
    const write = { type: 'boolean', default: false } as const;
    const help = { type: 'boolean', short: 'h' } as const;
    return parseArgs({ allowPositionals: true, options: { write, help } });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

// Live output is held to its own budget, not to a rate.
function isBroken(report: LoadReport): boolean {
  return report.lost > 0 || (report.name !== 'live' && perMinute(report) < SENT_PER_MINUTE_MIN);
}
