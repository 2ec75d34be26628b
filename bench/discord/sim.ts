// The simulated Discord behind a network of its own, as a process.

import { DISCORD_SIMULATOR, type Network, serveModel } from '../../src/sim/sim.ts';
import { tell } from '../engine/child.ts';

const network = JSON.parse(process.argv[2]!) as Network;
const { url } = await serveModel(DISCORD_SIMULATOR, { host: '127.0.0.1', port: 0, network });
process.once('SIGTERM', () => process.exit(0));
tell({ url });
