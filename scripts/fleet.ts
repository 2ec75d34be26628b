// npm run fleet: three nodes on one Postgres, with Redis where it is installed, before a simulated Telegram, as they
// would run on three machines. Prints where their pages are; Ctrl-C ends all of it. `npm run fleet -- 5` starts five,
// `npm run fleet -- trial` puts three on trial (fleet/trial.ts).

import { startRedisServer } from '../src/cluster/redis.fixture.ts';
import { startCluster } from '../src/store/postgres/cluster.fixture.ts';
import { FLEET_KEY, FleetProcesses } from '../test/process/fleet.ts';
import { ensure } from './ensure.ts';
import { TRIALS, trial } from './fleet/trial.ts';

const NODES_DEFAULT = 3;
const PORT = 8080;

const [asked, ...rest] = process.argv.slice(2);
if (process.argv.slice(2).some((each) => each === '--help' || each === '-h')) {
  console.log(
    `npm run fleet [-- NODES]: so many nodes on one Postgres, ${NODES_DEFAULT} without a number`,
  );
  console.log(`npm run fleet -- trial [NAME…]: puts three on trial: ${TRIALS.join(', ')}`);
  process.exit(0);
}
if (asked === 'trial') {
  const unknown = rest.filter((name) => !TRIALS.includes(name));
  if (unknown.length > 0) {
    console.error(`no trial is called ${unknown.join(', ')}; there are: ${TRIALS.join(', ')}`);
    process.exit(2);
  }
  process.exit(await trial(rest));
}
const nodes = Number(asked ?? NODES_DEFAULT);
if (!Number.isInteger(nodes) || nodes < 1) {
  console.error(`expected a number of nodes, or trial: ${asked}`);
  process.exit(2);
}
const cluster = await startCluster();
const redis = (await ensure('redis')) === null ? null : await startRedisServer();
const fleet = await FleetProcesses.start({
  nodes,
  databaseUrl: await cluster.database(),
  ...(redis === null ? {} : { redisUrl: redis.url }),
  port: PORT,
});

const [first] = fleet.nodes;
console.log(`${nodes} nodes on one Postgres${redis === null ? '' : ' and Redis'}:`);
for (const { url } of fleet.nodes) console.log(`  ${url}`);
console.log(`Their admin key is ${FLEET_KEY}. Any of them answers for every bot:`);
console.log(
  `  curl -s ${first!.url}/bot4242:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/sendMessage -d chat_id=1 -d text=hello`,
);
console.log(`  SLUICE_URL=${first!.url} SLUICE_KEY=${FLEET_KEY} npx sluice nodes`);

const stop = async () => {
  await fleet.stop();
  await redis?.stop();
  await cluster.stop();
  process.exit(0);
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
