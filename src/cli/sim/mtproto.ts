// sluice sim mtproto: a simulated server of MTProto, with an account that can log in and channels that
// post by themselves, to try reading without an account anywhere.

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Clock, systemClock } from '../../system/clock.ts';
import { type Io, WrongUsage } from '../io.ts';
import { untilStopped } from '../terminal/until-signal.ts';
import { wholeOf } from './numbers.ts';

interface Options {
  readonly host: string;
  readonly port: string;
  readonly key: string;
  readonly channel?: readonly string[];
  readonly everyS: string;
}

const PORT_MAX = 65_535;
const EVERY_S_MAX = 86_400;
const POSTS_AT_FIRST = 50;
const NAME = /^@?([A-Za-z]\w{3,31})$/;
// Of an application and an account that are nobody's.
const API = { id: 4711, hash: 'simulated' };
const ACCOUNT = { phone: '15550100', code: '24680', password: null };

export function addSimMtproto(sim: Command, io: Io): void {
  sim
    .command('mtproto')
    .description('serve a simulated server of MTProto, whose channels can be followed')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8443')
    .option('--key <file>', 'where its public key is written', 'mtproto-sim.pem')
    .option('--channel <name>', 'a channel; may be given several times (default: @daily_news)', add)
    .option('--every-s <s>', 'seconds between two posts of a channel', '20')
    .action((options: Options) => simulate(io, options));
}

function add(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

async function simulate(io: Io, options: Options): Promise<void> {
  const port = wholeOf('--port', options.port, 0, PORT_MAX);
  const everyMs = wholeOf('--every-s', options.everyS, 1, EVERY_S_MAX) * 1000;
  const names = (options.channel ?? ['@daily_news']).map(nameOf);
  const { serveMtproto } = await import('../../sim/sim.ts');
  const stopped = untilStopped(io);
  const clock = systemClock();
  const server = await serveMtproto({ host: options.host, port, clock });
  const key = resolve(options.key);
  await writeFile(key, server.pem);
  server.model.addAccount(ACCOUNT);
  const channels = names.map((name, i) =>
    server.model.addChannel({ id: BigInt(1_000_001 + i), name, title: name }),
  );
  const postAll = () => {
    for (const channel of channels)
      channel.post({ text: `News ${channel.lastId} of ${channel.name}` });
  };
  for (let n = 0; n < POSTS_AT_FIRST; n++) postAll();
  const stop = repeated(clock, everyMs, postAll);
  io.out(`the simulator of MTProto listens on ${server.host}:${server.port}`);
  io.out('use it with these, for the gateway and for `npx sluice ingest login`:');
  io.out(`  export SLUICE_MTPROTO_DC=${server.host}:${server.port} SLUICE_MTPROTO_KEY=${key}`);
  io.out(`  export SLUICE_MTPROTO_API_ID=${API.id} SLUICE_MTPROTO_API_HASH=${API.hash}`);
  io.out(`log in as +${ACCOUNT.phone} with the code ${ACCOUNT.code}, then:`);
  for (const name of names) io.out(`  npx sluice ingest add @${name} --kind mtproto`);
  await stopped;
  stop();
  await server.close();
}

// Answers how to stop.
function repeated(clock: Clock, everyMs: number, run: () => void): () => void {
  const again = () => {
    run();
    timer = clock.schedule(clock.now() + everyMs, again);
  };
  let timer = clock.schedule(clock.now() + everyMs, again);
  return () => timer.cancel();
}

function nameOf(text: string): string {
  const name = NAME.exec(text)?.[1];
  if (name === undefined)
    throw new WrongUsage(`--channel = ${text}: expected a name such as @news`);
  return name;
}
