// The command line as a function: arguments in, exit code out. 0 fine, 1 failed, 2 wrong usage.

import { Command, CommanderError } from 'commander';
import { VERSION } from '../system/version.ts';
import { addAccounts } from './accounts/accounts.ts';
import { addPause } from './accounts/pause.ts';
import { addBroadcast } from './broadcast/broadcast.ts';
import { addCompletion } from './completion/completion.ts';
import { addEvents } from './events.ts';
import { addExamples } from './examples.ts';
import { addIngest } from './ingest/ingest.ts';
import { Failed, type Io, WrongUsage } from './io.ts';
import { addKeys } from './keys/keys.ts';
import { addLoginLink } from './keys/login-link.ts';
import { addLimits } from './limits/limits.ts';
import { addMcp } from './mcp.ts';
import { addDead } from './messages/dead.ts';
import { addExplain } from './messages/explain.ts';
import { addMessages } from './messages/messages.ts';
import { addQueue } from './messages/queue.ts';
import { addMigrate } from './migrate.ts';
import { addNodes } from './nodes.ts';
import { addRecord } from './replay/record.ts';
import { addReplay } from './replay/replay.ts';
import { addSend } from './send.ts';
import { addServe } from './serve.ts';
import { addConfig } from './show-config.ts';
import { addSim } from './sim/simulate.ts';
import { addStatus } from './status.ts';
import { addStore } from './store.ts';
import { addStream } from './stream/stream.ts';
import { harmless } from './terminal/harmless.ts';
import { addTop } from './top/top.ts';
import { addWatch } from './watch.ts';

const FINE = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const safe = withoutControls(io);
  try {
    const program = createProgram(safe);
    await program.parseAsync(knownOrBare(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error, safe);
  }
}

// A command that is not there is wrong usage, also for those who ask for its help.
function knownOrBare(program: Command, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  const { commands } = program;
  if (first === undefined || first.startsWith('-') || first === 'help') return args;
  const found = commands.find((command) => command.name() === first);
  if (found !== undefined) return [first, ...knownOrBare(found, rest)];
  // Of a command without others, or with arguments of its own, it is one of those.
  return commands.length === 0 || program.registeredArguments.length > 0 ? args : [first];
}

// Whatever a message, a platform or a file says: no line of it moves a person's cursor.
function withoutControls(io: Io): Io {
  const { progress } = io;
  return {
    ...io,
    out: (line) => io.out(harmless(line)),
    err: (line) => io.err(harmless(line)),
    ...(progress === undefined ? {} : { progress: (line) => progress(harmless(line)) }),
  };
}

export function createProgram(io: Io): Command {
  const program = new Command('sluice')
    .description(
      'A delivery gateway for chat platforms. `sluice serve` runs it; the other commands talk to one that runs.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    // An option belongs to the command it follows: `stream list --json`.
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    });
  for (const add of [
    addServe,
    addSend,
    addStream,
    addBroadcast,
    addIngest,
    addStatus,
    addTop,
    addQueue,
    addNodes,
    addEvents,
    addMessages,
    addDead,
    addExplain,
    addPause,
    addLimits,
    addAccounts,
    addKeys,
    addLoginLink,
    addSim,
    addRecord,
    addReplay,
    addConfig,
    addStore,
    addMigrate,
    addWatch,
    addMcp,
    addCompletion,
  ]) {
    add(program, io);
  }
  addExamples(program);
  return program;
}

function exitCodeOf(error: unknown, io: Io): number {
  if (error instanceof CommanderError) {
    // Commander has told it already.
    return FINE.includes(error.code) && error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof WrongUsage) {
    io.err(`sluice: ${error.message}`);
    return 2;
  }
  const isKnown = error instanceof Failed;
  const said = error instanceof Error ? (isKnown ? error.message : error.stack) : String(error);
  io.err(`sluice: ${said}`);
  return 1;
}
