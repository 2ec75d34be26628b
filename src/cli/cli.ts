// The entry of `sluice` and of `npm start`: the real terminal, the real exit code.

import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
});
