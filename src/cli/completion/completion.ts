// sluice completion bash|zsh|fish: what a shell needs to complete our commands, written from the program itself, so
// that there is no second list to keep. It is a script of its own: pressing tab starts nothing of ours.

import type { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Completed, CompletedOption } from './tree.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SHELLS;

// Values and arguments of these names are files.
const FILES = ['file', 'folder'];

export function addCompletion(program: Command, io: Io): void {
  const shell = program
    .createArgument('<shell>', 'for which shell')
    .choices(Object.keys(SHELLS) as Shell[]);
  program
    .command('completion')
    .description('print a script that completes commands and options with the tab key')
    .addArgument(shell)
    .action((name: Shell) => io.out(SHELLS[name](treeOf(program, [])).trimEnd()));
}

// zsh runs bash's scripts.
function zshScript(tree: readonly Completed[]): string {
  return `#compdef sluice\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(tree)}`;
}

function treeOf(command: Command, path: readonly string[]): Completed[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const args = command.registeredArguments;
  const own: Completed = {
    path,
    commands: commands.map((each) => ({
      name: each.name(),
      description: each.description().split('\n')[0]!,
    })),
    options: help.visibleOptions(command).map(optionOf),
    words: args.flatMap(({ argChoices }) => argChoices ?? []),
    takesFiles: args.some((arg) => FILES.includes(arg.name())),
  };
  return [own, ...command.commands.flatMap((each) => treeOf(each, [...path, each.name()]))];
}

function optionOf(option: Option): CompletedOption {
  const name = /<(\w+)>/.exec(option.flags)?.[1] ?? '';
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    description: option.description.split('\n')[0]!,
    // One that may stand without its value is completed without.
    takesValue: option.required,
    choices: option.argChoices ?? [],
    takesFiles: FILES.includes(name),
  };
}
