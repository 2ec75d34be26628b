// npm run bench [-- NAME]: every figure is a ratio between two things measured in the same run, because
// machines differ and this one may be busy. A row fails when its bound is missed.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureNodeFlags } from '../bin/node-flags.js';
import { broadcast } from './broadcast/broadcast.ts';
import { discord } from './discord/discord.ts';
import { engine } from './engine/engine.ts';
import { ingest } from './ingest/ingest.ts';
import { latency } from './latency/latency.ts';
import { live } from './live/live.ts';
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
};
// Measured with another suite when all are asked for.
const PARTS: typeof SUITES = { broadcast };
// Takes as long as all others together: only when asked for.
const ALONE: typeof SUITES = { live };

async function* liveOutput(only: string | null): AsyncIterable<Row> {
  yield* streams();
  yield* broadcast(only);
}

// Parts of the gateway run in this very process.
ensureNodeFlags(fileURLToPath(import.meta.url), process.argv.slice(2));

const { positionals } = parseArgs({ allowPositionals: true });
const [name, only = null] = positionals;
const suites = { ...SUITES, ...PARTS, ...ALONE };
if (name !== undefined && suites[name] === undefined) {
  console.error(`no benchmark is called ${name}; there are: ${Object.keys(suites).join(', ')}`);
  process.exit(2);
}

const rows: Row[] = [];
for (const suite of name === undefined ? Object.keys(SUITES) : [name]) {
  for await (const row of suites[suite]!(only)) {
    console.error(`  ${row.name}: ${row.ours} vs ${row.theirs}`);
    rows.push(row);
  }
}
printRows(rows);
process.exitCode = rows.every((row) => row.holds) ? 0 : 1;
