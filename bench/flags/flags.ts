// What each of Node's flags is worth that promises nothing by itself: a gateway with all of them against one without
// that one, in turns, as many calls as it can take and then 500 a second. A flag that is worth nothing should go.

import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { NODE_FLAGS } from '../../bin/node-flags.js';
import { startChild } from '../engine/child.ts';
import { measure } from '../engine/end-to-end.ts';
import { inFolder } from '../engine/folder.ts';
import { calls } from '../latency/latency.ts';
import { type Row, ratioRow } from '../row.ts';

const JUDGED = ['--initial-old-space-size'];
const ROUNDS = 3;
const PER_S = 500;
const CALM_MS = 6_000;
const CONNECTIONS = 64;
// It stays if it makes nothing worse beyond the noise of a run; what it makes better is for the reader to weigh.
const MORE_MAX = 1.15;
const LESS_MIN = 0.87;

interface Figures {
  readonly perS: number;
  readonly p99Ms: number;
  readonly rssMiB: number;
}

export async function* flags(): AsyncIterable<Row> {
  const sim = await startChild<{ url: string }>('servers.ts', ['sim']);
  for (const name of JUDGED) {
    const others = NODE_FLAGS.filter((flag) => !flag.startsWith(name));
    const rounds: { given: Figures[]; missing: Figures[] } = { given: [], missing: [] };
    for (let i = 0; i < ROUNDS; i++) {
      rounds.given.push(await figuresOf(sim.ready.url, NODE_FLAGS));
      rounds.missing.push(await figuresOf(sim.ready.url, others));
    }
    yield* rowsOf(name, median(rounds.given), median(rounds.missing));
  }
  await sim.stop();
}

function figuresOf(telegramApi: string, nodeFlags: readonly string[]): Promise<Figures> {
  return inFolder(async (data) => {
    const wide = { privatePerS: 1000, broadcastPerS: 1000, inFlightMax: 256 };
    const settings = JSON.stringify({ data, telegramApi, ...wide });
    const args = ['gateway', settings];
    const child = await startChild<{ port: number }>('servers.ts', args, [], nodeFlags);
    const { port } = child.ready;
    const { count, ms } = await measure(port);
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
    const took = await calls(pool, PER_S, CALM_MS);
    await pool.close();
    const rssMiB = peakMiB(child.pid);
    await child.stop();
    const p99Ms = took[Math.floor(0.99 * (took.length - 1))]!;
    return { perS: (count / ms) * 1000, p99Ms, rssMiB };
  });
}

// Linux alone tells it of another process.
function peakMiB(pid: number): number {
  const kib = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(kib) / 1024;
}

function median(rounds: readonly Figures[]): Figures {
  const middle = (of: (figures: Figures) => number) =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)]!;
  return {
    perS: middle(({ perS }) => perS),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    rssMiB: middle(({ rssMiB }) => rssMiB),
  };
}

function rowsOf(flag: string, given: Figures, missing: Figures): Row[] {
  const row = (what: string, of: (figures: Figures) => number, unit: string, isRate: boolean) => {
    const said = (figures: Figures) => ({
      value: of(figures),
      text: `${of(figures).toFixed(unit === 'ms' ? 2 : 0)} ${unit}`,
    });
    const without = said(missing);
    const bound = isRate ? { atLeast: LESS_MIN } : { atMost: MORE_MAX };
    const theirs = { ...without, text: `${without.text} without` };
    return ratioRow(`${flag}: ${what}`, said(given), theirs, bound);
  };
  return [
    row('end to end', ({ perS }) => perS, 'calls/s', true),
    row(`p99 at ${PER_S}/s`, ({ p99Ms }) => p99Ms, 'ms', false),
    row('memory at most', ({ rssMiB }) => rssMiB, 'MiB', false),
  ];
}
