// sluice sim: the simulator of a platform behind HTTP, to try bots against without a token.

import type { Command } from 'commander';
import { systemClock } from '../system/clock.ts';
import { systemRandom } from '../system/random.ts';
import { type Io, WrongUsage } from './io.ts';
import { untilStopped } from './terminal/until-signal.ts';
import { addWorld } from './world.ts';

const PORT_MAX = 65_535;

export function addSim(program: Command, io: Io): void {
  const sim = program
    .command('sim')
    .description('serve the simulator of a platform over HTTP, or run whole worlds (sim world)')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8081')
    .action(async (options: { host: string; port: string }) => {
      const port = portOf(options.port);
      const stopped = untilStopped(io);
      const { serveSim } = await import('../sim/sim.ts');
      const outside = { clock: systemClock(), random: systemRandom() };
      const server = await serveSim({ host: options.host, port, ...outside });
      io.out(`the simulator of ${server.platform} listens on ${server.url}`);
      io.out(`use it with: ${server.setting}=${server.url} npm start`);
      await stopped;
      await server.close();
    });
  addWorld(sim, io);
}

function portOf(text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new WrongUsage(`--port = ${text}: expected a whole number from 0 to ${PORT_MAX}`);
}
