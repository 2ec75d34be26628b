// sluice sim: the simulator of a platform behind HTTP, to try bots against without a token; with the limits, the line
// and the faults that one wants to see.

import type { Command } from 'commander';
import { PLATFORM_DEFAULT } from '../../platforms/registry.ts';
import type { FaultRates, SimulatorKind } from '../../sim/sim.ts';
import { systemClock } from '../../system/clock.ts';
import { seededRandom, systemRandom } from '../../system/random.ts';
import { type Io, WrongUsage } from '../io.ts';
import { untilStopped } from '../terminal/until-signal.ts';
import { addSimMtproto } from './mtproto.ts';
import { numberOf, wholeOf } from './numbers.ts';
import { addWorld } from './world.ts';

const PORT_MAX = 65_535;
const RATE_MAX = 1_000_000;
const WAY_MS_MAX = 600_000;
const SEED_MAX = 2 ** 31;

interface Options {
  readonly platform: string;
  readonly host: string;
  readonly port: string;
  readonly groupMpm?: string;
  readonly groupSpacingMs?: string;
  readonly privateBurst?: string;
  readonly broadcastPerS?: string;
  readonly paidPerS?: string;
  readonly limit?: readonly string[];
  readonly truth?: string;
  readonly limits: boolean;
  readonly edits?: string;
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
    .option('--platform <name>', 'whose simulator', PLATFORM_DEFAULT.name)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8081')
    .option('--group-mpm <n>', 'messages a minute to one group (default: 20)')
    .option('--group-spacing-ms <ms>', 'between two messages to one group (default: 1000)')
    .option('--private-burst <n>', 'messages in 5 s to one private chat (default: 5)')
    .option('--broadcast-per-s <n>', 'messages a second of one bot (default: 30)')
    .option('--paid-per-s <n>', 'messages a second that a bot pays for (default: 1000)')
    .option(
      '--limit <name=n>',
      'one of the limits by its name; may be given several times',
      several,
    )
    .option('--truth <share>', 'all rates times this, to be stricter than is believed (default: 1)')
    .option('--no-limits', 'refuse nothing for its rate');
  sim
    .addOption(
      sim
        .createOption('--edits <how>', 'how edits are counted (default: shared)')
        .choices(['shared', 'separate', 'free']),
    )
    .option('--latency <ms>', 'each way of a call', '0')
    .option('--jitter <ms>', 'up to so much more, each way', '0')
    .option(
      '--fault <kind=chance>',
      'chance of a fault per call, such as bad_gateway=0.01; may be given several times',
      several,
    )
    .option('--seed <n>', 'the same faults and jitter in the same order (default: by chance)')
    .action((options: Options) => simulate(io, options));
  addSimMtproto(sim, io);
  addWorld(sim, io);
}

function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function simulate(io: Io, options: Options): Promise<void> {
  const port = wholeOf('--port', options.port, 0, PORT_MAX);
  const network = networkOf(options);
  const seed = options.seed === undefined ? null : wholeOf('--seed', options.seed, 0, SEED_MAX);
  const random = seed === null ? systemRandom() : seededRandom(seed);
  const { serveModel, randomFaults, FAULT_KINDS, SIMULATORS } = await import('../../sim/sim.ts');
  const kind = SIMULATORS.get(options.platform);
  if (kind === undefined) {
    const known = [...SIMULATORS.keys()].join(', ');
    throw new WrongUsage(`--platform = ${options.platform}: expected one of ${known}`);
  }
  const faults = randomFaults(random, ratesOf(options.fault ?? [], FAULT_KINDS));
  const given = { options: limitsOf(kind, options), network, faults };
  const stopped = untilStopped(io);
  const clock = systemClock();
  const server = await serveModel(kind, { host: options.host, port, clock, random, ...given });
  io.out(`the simulator of ${server.platform} listens on ${server.url}`);
  io.out(`use it with: ${server.setting}=${server.url} npm start`);
  await stopped;
  await server.close();
}

// The flags that one of the simulators has for its limits, as `--limit` names them.
const FLAGS = [
  ['--group-mpm', 'groupMpm'],
  ['--group-spacing-ms', 'groupSpacingMs'],
  ['--private-burst', 'privateBurst'],
  ['--broadcast-per-s', 'broadcastPerS'],
  ['--paid-per-s', 'paidPerS'],
] as const;

function limitsOf({ limits, edits: ways }: SimulatorKind, options: Options): object {
  const { truth, edits } = options;
  if (edits !== undefined && ways === undefined) {
    throw new WrongUsage('--edits: that simulator counts them in one way only');
  }
  const flags = FLAGS.flatMap(([flag, key]) => {
    const value = options[key];
    return value === undefined ? [] : [[flag, flag.slice(2).replaceAll('-', '_'), value] as const];
  });
  const named = (options.limit ?? []).map((text) => {
    const [name = '', value = ''] = text.split('=');
    return ['--limit', name, value] as const;
  });
  const set = [...flags, ...named].map(([flag, name, value]) => {
    const known = Object.keys(limits).join(', ');
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (limit === undefined) {
      throw new WrongUsage(`${flag} ${name}: no such limit there, expected one of ${known}`);
    }
    return limit(wholeOf(flag === '--limit' ? `${flag} ${name}` : flag, value, 1, RATE_MAX));
  });
  const scale = truth === undefined ? 1 : numberOf('--truth', truth, 0.01, 100);
  return {
    ...Object.assign({}, ...set),
    truth: options.limits ? scale : Number.POSITIVE_INFINITY,
    ...(edits === undefined ? null : { edits }),
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
