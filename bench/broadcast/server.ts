// The gateway that is measured, in a process of its own, and how much memory it takes: its threads are part of it.

import { createGateway } from '../../src/app/gateway.ts';
import { defaultConfig } from '../../src/config/config.ts';

const SAMPLE_MS = 20;
const [folder = ''] = process.argv.slice(2);

const config = defaultConfig({ port: 0, log: 'warn', adminKey: 'bench', data: folder });
const gateway = await createGateway(config);
const url = await gateway.listen();
const rss = () => process.memoryUsage().rss;
const before = rss();
let peak = before;
const sampling = setInterval(() => {
  peak = Math.max(peak, rss());
}, SAMPLE_MS);

process.on('message', (asked) => {
  if (asked === 'memory') process.send!({ before, peak });
});
process.once('SIGTERM', () => {
  clearInterval(sampling);
  void gateway.close().then(() => process.exit(0));
});
process.send!({ url });
