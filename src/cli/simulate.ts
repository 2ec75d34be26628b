// sluice sim: the simulator of Telegram behind HTTP, to try bots against without a token.

import type { Command } from 'commander';
import { type Io, WrongUsage } from './io.ts';
import { simRoom } from './seam.ts';
import { untilSignal } from './until-signal.ts';

const PORT_MAX = 65_535;

export function addSim(program: Command, io: Io): void {
  program
    .command('sim')
    .description('simulators: serve one over HTTP, or run whole worlds')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8081')
    .action(async (options: { host: string; port: string }) => {
      const { serveSim } = await simRoom();
      const server = await serveSim({ host: options.host, port: portOf(options.port) });
      io.out(`the simulator of Telegram listens on ${server.url}`);
      io.out(`use it with: SLUICE_TELEGRAM_API=${server.url} npm start`);
      await untilSignal();
      await server.close();
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new WrongUsage(`--port = ${text}: expected a whole number from 0 to ${PORT_MAX}`);
}
