// npm run bench [-- NAME]: every figure is a ratio between two things measured in the same run, because
// machines differ and this one may be busy. A row fails when its bound is missed.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureNodeFlags } from '../bin/node-flags.js';
import { broadcast } from './broadcast/broadcast.ts';
import { discord } from './discord/discord.ts';
import { engine } from './engine/engine.ts';
import { flags } from './flags/flags.ts';
import { ingest } from './ingest/ingest.ts';
import { latency } from './latency/latency.ts';
import { live } from './live/live.ts';
import { machines } from './machines/machines.ts';
import { metrics } from './metrics/metrics.ts';
import { pacing } from './pacing/pacing.ts';
import { printRows, type Row } from './row.ts';
import { strangers } from './strangers/strangers.ts';
import { streams } from './streams/streams.ts';
import { whatsapp } from './whatsapp/whatsapp.ts';

const SUITES: Readonly<Record<string, (only: string | null) => AsyncIterable<Row>>> = {
  engine,
  pacing,
  latency,
  metrics,
  streams: liveOutput,
  strangers,
  ingest,
  discord,
  whatsapp,
  machines,
};
// Measured with another suite when all are asked for.
const PARTS: typeof SUITES = { broadcast };
// Takes as long as all others together, or is about Node rather than about us: only when asked for.
const ALONE: typeof SUITES = { live, flags };

async function* liveOutput(only: string | null): AsyncIterable<Row> {
  yield* streams();
  yield* broadcast(only);
}

const suites = { ...SUITES, ...PARTS, ...ALONE };
const USAGE = `npm run bench [-- SUITE [PART]]

Without a suite: ${Object.keys(SUITES).join(', ')}.
Only when asked for: ${[...Object.keys(PARTS), ...Object.keys(ALONE)].join(', ')}.
PART: one measurement of a suite that has several, by its name.

Each row compares two things that were measured in the same run. It exits with 1 when a row misses its bound.
It takes many minutes and wants a machine with nothing else to do; its progress is on stderr.`;

const { positionals, values } = readArgs();
const [name, only = null] = positionals;
if (values.help === true) {
  console.log(USAGE);
  process.exit(0);
}
if (name !== undefined && suites[name] === undefined) {
  console.error(`no benchmark is called ${name}; there are: ${Object.keys(suites).join(', ')}`);
  process.exit(2);
}

// Parts of the gateway run in this very process.
ensureNodeFlags(fileURLToPath(import.meta.url), process.argv.slice(2));

const rows: Row[] = [];
const asked = name === undefined ? Object.keys(SUITES) : [name];
const startedAt = performance.now();
for (const [i, suite] of asked.entries()) {
  console.error(`${suite} (${i + 1} of ${asked.length}), ${minutesSince(startedAt)} so far`);
  for await (const row of suites[suite]!(only)) {
    console.error(`  ${row.name}: ${row.ours} vs ${row.theirs}`);
    rows.push(row);
  }
}
if (rows.length === 0) {
  console.error(`${name} has no part that is called ${only}`);
  process.exit(2);
}
console.error(`done in ${minutesSince(startedAt)}`);
printRows(rows);
process.exitCode = rows.every((row) => row.holds) ? 0 : 1;

function readArgs() {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function minutesSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`;
}
