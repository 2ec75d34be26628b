// sluice sim: the simulator of a platform behind HTTP, to try bots against without a token; with the limits, the line
// and the faults that one wants to see.

import type { Command } from 'commander';
import type { FaultRates, ServeSimOptions } from '../sim/sim.ts';
import { systemClock } from '../system/clock.ts';
import { seededRandom, systemRandom } from '../system/random.ts';
import { type Io, WrongUsage } from './io.ts';
import { untilStopped } from './terminal/until-signal.ts';
import { addWorld } from './world.ts';

const PORT_MAX = 65_535;
const RATE_MAX = 1_000_000;
const WAY_MS_MAX = 600_000;
const SEED_MAX = 2 ** 31;

interface Options {
  readonly host: string;
  readonly port: string;
  readonly groupMpm?: string;
  readonly groupSpacingMs?: string;
  readonly privateBurst?: string;
  readonly broadcastPerS?: string;
  readonly paidPerS?: string;
  readonly truth?: string;
  readonly limits: boolean;
  readonly edits: 'shared' | 'separate' | 'free';
  readonly latency: string;
  readonly jitter: string;
  readonly fault?: readonly string[];
  readonly seed?: string;
}

export function addSim(program: Command, io: Io): void {
  const sim = program
    .command('sim')
    // `sim world` has options of the same names.
    .enablePositionalOptions()
    .description('serve the simulator of a platform over HTTP, or run whole worlds (sim world)')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8081')
    .option('--group-mpm <n>', 'messages a minute to one group (default: 20)')
    .option('--group-spacing-ms <ms>', 'between two messages to one group (default: 1000)')
    .option('--private-burst <n>', 'messages in 5 s to one private chat (default: 5)')
    .option('--broadcast-per-s <n>', 'messages a second of one bot (default: 30)')
    .option('--paid-per-s <n>', 'messages a second that a bot pays for (default: 1000)')
    .option('--truth <share>', 'all rates times this, to be stricter than is believed (default: 1)')
    .option('--no-limits', 'refuse nothing for its rate');
  sim
    .addOption(
      sim
        .createOption('--edits <how>', 'how edits are counted')
        .choices(['shared', 'separate', 'free'])
        .default('shared'),
    )
    .option('--latency <ms>', 'each way of a call', '0')
    .option('--jitter <ms>', 'up to so much more, each way', '0')
    .option(
      '--fault <kind=chance>',
      'chance of a fault per call, such as bad_gateway=0.01; may be said several times',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--seed <n>', 'the same faults and jitter in the same order (default: by chance)')
    .action((options: Options) => simulate(io, options));
  addWorld(sim, io);
}

async function simulate(io: Io, options: Options): Promise<void> {
  const port = wholeOf('--port', options.port, 0, PORT_MAX);
  const given = { ...limitsOf(options), network: networkOf(options) };
  const seed = options.seed === undefined ? null : wholeOf('--seed', options.seed, 0, SEED_MAX);
  const random = seed === null ? systemRandom() : seededRandom(seed);
  const { serveSim, randomFaults, FAULT_KINDS } = await import('../sim/sim.ts');
  const faults = randomFaults(random, ratesOf(options.fault ?? [], FAULT_KINDS));
  const stopped = untilStopped(io);
  const clock = systemClock();
  const server = await serveSim({ host: options.host, port, clock, random, faults, ...given });
  io.out(`the simulator of ${server.platform} listens on ${server.url}`);
  io.out(`use it with: ${server.setting}=${server.url} npm start`);
  await stopped;
  await server.close();
}

function limitsOf(options: Options): Pick<ServeSimOptions, 'options'> {
  const rate = (flag: string, text: string | undefined, perMs: number) =>
    text === undefined ? undefined : { count: wholeOf(flag, text, 1, RATE_MAX), perMs };
  const { groupSpacingMs, truth } = options;
  const rates = {
    groupMinute: rate('--group-mpm', options.groupMpm, 60_000),
    groupSpacing:
      groupSpacingMs === undefined
        ? undefined
        : { count: 1, perMs: wholeOf('--group-spacing-ms', groupSpacingMs, 1, WAY_MS_MAX) },
    privateBurst: rate('--private-burst', options.privateBurst, 5000),
    broadcast: rate('--broadcast-per-s', options.broadcastPerS, 1000),
    paid: rate('--paid-per-s', options.paidPerS, 1000),
  };
  const said = Object.entries(rates).filter(([, each]) => each !== undefined);
  const scale = truth === undefined ? 1 : numberOf('--truth', truth, 0.01, 100);
  return {
    options: {
      ...Object.fromEntries(said),
      truth: options.limits ? scale : Number.POSITIVE_INFINITY,
      edits: options.edits,
    },
  };
}

function networkOf({ latency, jitter }: Options) {
  return {
    latencyMs: numberOf('--latency', latency, 0, WAY_MS_MAX),
    jitterMs: numberOf('--jitter', jitter, 0, WAY_MS_MAX),
  };
}

function ratesOf(given: readonly string[], kinds: readonly string[]): FaultRates {
  const rates: Record<string, number> = {};
  for (const text of given) {
    const [kind = '', chance = ''] = text.split('=');
    if (!kinds.includes(kind)) {
      throw new WrongUsage(`--fault = ${text}: expected one of ${kinds.join(', ')}, then =chance`);
    }
    rates[kind] = numberOf(`--fault ${kind}`, chance, 0, 1);
  }
  return rates;
}

function wholeOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new WrongUsage(`${flag} = ${text}: expected a whole number from ${min} to ${max}`);
}

function numberOf(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= min && value <= max) return value;
  throw new WrongUsage(`${flag} = ${text}: expected a number from ${min} to ${max}`);
}
