// The entry of `sluice` and of `npm start`: the real terminal, the real exit code.

import { leaveSoon } from '../system/leave.ts';
import type { Terminal } from './io.ts';
import { runCli } from './program.ts';

const CLEAR_LINE = '\x1b[2K';
const [COLUMNS, ROWS] = [80, 24];
// A key may be several characters: arrows and their like begin with an escape.
const KEY = /\p{Cc}[[O][0-9;]*[A-Za-z~]|[\s\S]/gu;
const { argv, env, stdin, stdout, stderr } = process;
const args = argv.slice(2);
// Such a terminal obeys nothing; it gets what a file would get.
const isDumb = env.TERM === 'dumb';

outliveReaders();
process.exitCode = await runCli(args, {
  env,
  out: (line) => stdout.write(`${line}\n`),
  err: (line) => stderr.write(`${line}\n`),
  input: stdin,
  ...(stderr.isTTY && !isDumb ? { progress: drawOver } : {}),
  ...(stdout.isTTY && !isDumb ? { terminal: theTerminal() } : {}),
});
leaveSoon();

function drawOver(line: string): void {
  stderr.write(`\r${CLEAR_LINE}${line}`);
}

// `sluice dead list | head -1`: whoever has read enough ends the command, but never a gateway.
function outliveReaders(): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (args[0] !== 'serve') process.exit(0);
  });
  stderr.on('error', () => {});
}

function theTerminal(): Terminal {
  return {
    // Some terminals do not know their size.
    size: () => ({ columns: stdout.columns || COLUMNS, rows: stdout.rows || ROWS }),
    write: (text) => void stdout.write(text),
    isColoured: (env.NO_COLOR ?? '') === '',
    ...(stdin.isTTY ? { attend } : {}),
  };
}

function attend(handlers: Parameters<NonNullable<Terminal['attend']>>[0]): () => void {
  const onData = (chunk: Buffer) => {
    for (const key of keysIn(chunk.toString())) handlers.key(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdout.on('resize', handlers.resize);
  return () => {
    stdin.off('data', onData);
    stdout.off('resize', handlers.resize);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

function keysIn(typed: string): string[] {
  return typed.match(KEY) ?? [];
}
