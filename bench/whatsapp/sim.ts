// The simulated WhatsApp behind a network of its own, as a process.

import { type Network, serveModel, WHATSAPP_SIMULATOR } from '../../src/sim/sim.ts';
import { tell } from '../engine/child.ts';

const network = JSON.parse(process.argv[2]!) as Network;
const { url } = await serveModel(WHATSAPP_SIMULATOR, { host: '127.0.0.1', port: 0, network });
process.once('SIGTERM', () => process.exit(0));
tell({ url });
