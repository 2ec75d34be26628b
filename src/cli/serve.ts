// sluice serve (npm start): the gateway until a signal ends it. Prints where it is and how to try it.

import type { Command } from 'commander';
import { defaultConfig } from '../config/config.ts';
import { quoted } from './client.ts';
import { Failed, type Io } from './io.ts';
import { addSettingFlags, configFrom } from './settings.ts';
import { untilStopped } from './terminal/until-signal.ts';

export function addServe(program: Command, io: Io): void {
  const command = program.command('serve').description('run the gateway');
  addSettingFlags(command).action(async (options: Record<string, unknown>) => {
    const { config, warnings } = configFrom(io, options);
    for (const warning of warnings) io.err(`warning: ${warning}`);
    const stopped = untilStopped(io);
    // Opened only here, so that the other commands load nothing of it.
    const { createGateway } = await import('../app/gateway.ts');
    const refuse = (error: Error): never => {
      throw new Failed(startFailure(error, config));
    };
    const gateway = await createGateway(config).catch(refuse);
    const url = await gateway.listen().catch(async (error: Error) => {
      await gateway.close();
      return refuse(error);
    });
    // What is printed elsewhere than on a terminal is kept in logs.
    const link = io.terminal === undefined ? null : gateway.loginLink();
    io.out(greeting(url, link, config, gateway.hasSandbox));
    const why = await stopped;
    io.out(`${why}: finishing what is in flight; the rest stays on disk`);
    await gateway.close();
  });
}

function greeting(
  url: string,
  link: string | null,
  config: { port: number; data: string },
  hasSandbox: boolean,
): string {
  const { port, data } = config;
  const isFoundAlone = port === defaultConfig().port;
  const where = isFoundAlone ? '' : ` --url ${url}`;
  // The commands find the key in the data folder.
  const sluice =
    data === defaultConfig().data ? 'npx sluice' : `SLUICE_DATA=${quoted(data)} npx sluice`;
  return [
    `sluice listens on ${url}; what it accepts is kept in ${data}`,
    '',
    link === null
      ? 'See it in a browser; this command prints a link that logs in once:'
      : 'See it in a browser (this link logs in once, within an hour):',
    `  ${link ?? `${sluice} login-link${where}`}`,
    '',
    ...(hasSandbox
      ? [
          'Send a first message (tokens <digits>:sandbox… go to the built-in simulator):',
          `  curl ${url}/bot1:sandbox/sendMessage -d chat_id=42 -d text=hello`,
        ]
      : [
          'Send a first message (the built-in simulator is off; SLUICE_SANDBOX=on switches it on):',
          `  curl ${url}/bot$TOKEN/sendMessage -d chat_id=$CHAT -d text=hello`,
        ]),
    '',
    `Then: ${sluice} top${where} · ${url}/docs · Ctrl-C stops it`,
  ].join('\n');
}

function startFailure(error: Error, config: { host: string; port: number }): string {
  const { code } = error as NodeJS.ErrnoException;
  const place = `${config.host}:${config.port}`;
  if (code === 'EADDRINUSE') {
    return `${place} is taken; stop the other program, or choose another port with --port`;
  }
  if (code === 'EACCES' && config.port < 1024 && config.port > 0) {
    return `${place} needs more rights; choose a port above 1023 with --port`;
  }
  if (code === 'disk_full') {
    return `cannot start: the disk of the data folder is full (${error.message}); free some space first`;
  }
  return `cannot start: ${error.message}`;
}
