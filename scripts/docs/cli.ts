// docs/reference/cli.md from the program: its commands, their arguments and options, and the examples of its help.

import type { Command, Option } from 'commander';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { createProgram } from '../../src/cli/program.ts';
import { MADE, table } from './table.ts';

// What all commands have that talk to a gateway; said once.
const OF_CLIENTS = ['--url', '--config', '--json'];

export function cliPage(): string {
  const program = createProgram({ env: {}, out: () => {}, err: () => {} });
  return `# The command line

${MADE}

\`npx sluice <command>\`; \`--help\` after any command shows what is below, with examples. \`sluice serve\` runs
the gateway; the other commands talk to one that runs.

* **Which gateway:** \`--url\`, else \`SLUICE_URL\`, else the host and port of the settings (\`--config FILE\`
  to find them).
* **Which key:** \`SLUICE_KEY\`, else the admin key of the settings, else the one in the data folder. It is
  never an argument: those can be seen by everyone on the machine.
* **Exit codes:** 0 fine, 1 it did not work, 2 it was asked wrongly. What went wrong, and what to do about it,
  is on stderr.
* **For programs:** \`--json\` prints one document on stdout. Progress and warnings go to stderr; a reader that
  stops reading ends the command quietly.
* **Colours** only on a terminal, and none when \`NO_COLOR\` is set. Whatever a message or a platform says is
  shown, never obeyed: control characters are replaced by their pictures.

## Watching

\`sluice top\` shows rates, the queue by class, the oldest wait, accounts with their budgets and troubles, who
waits longest and why, freezes, streams, broadcasts and the last dead letters, drawn anew each second. In a
pipe, or with \`--once\`, it prints all of it once. It stays through a restart of the gateway and says how old
what it shows is.

${table(
  ['key', 'does'],
  [
    ['`q`', 'quit'],
    ['`s`', 'sort accounts by trouble, by what waits, by name'],
    ['tab, shift-tab', 'one table alone, the next, and back to all'],
    ['`/`', 'show only rows that hold a text; enter keeps it, escape clears it'],
    ['space', 'hold the picture still, and let it go on'],
  ],
)}

## Completion

\`\`\`sh
source <(sluice completion bash)     # in ~/.bashrc
source <(sluice completion zsh)      # in ~/.zshrc, after compinit
sluice completion fish | source      # in ~/.config/fish/config.fish
\`\`\`

It completes the command \`sluice\`: inside this repository, \`alias sluice='npx sluice'\` first.

## Commands

Those that talk to a gateway also take \`--url\`, \`--config\` and \`--json\`.

${program.commands.flatMap((command) => sectionsOf(command, [])).join('\n\n')}
`;
}

function sectionsOf(command: Command, above: readonly string[]): string[] {
  const path = [...above, command.name()];
  const name = path.join(' ');
  const parts = [
    `### ${name}`,
    sentence(command.description()),
    argumentsOf(command),
    optionsOf(command),
    EXAMPLES[name] === undefined ? '' : `\`\`\`sh\n${EXAMPLES[name].join('\n')}\n\`\`\``,
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return [text, ...command.commands.flatMap((each) => sectionsOf(each, path))];
}

function argumentsOf(command: Command): string {
  const rows = command.registeredArguments.map((argument) => {
    const choices = argument.argChoices?.join(', ') ?? '';
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    const shown = argument.required ? `<${name}>` : `[${name}]`;
    return [
      `\`${shown}\``,
      [argument.description, choices].filter((part) => part !== '').join(': '),
    ];
  });
  return rows.length === 0 ? '' : table(['argument', 'meaning'], rows);
}

function optionsOf(command: Command): string {
  const settings = command.options.filter((option) => option.helpGroupHeading !== undefined);
  const isClient = command.options.some(({ long }) => long === '--url');
  const isToldAbove = ({ long }: Option) => isClient && OF_CLIENTS.includes(long ?? '');
  const rest = command.options.filter(
    (option) => option.helpGroupHeading === undefined && !isToldAbove(option),
  );
  const rows = rest.map((option) => [`\`${option.flags}\``, meaningOf(option)]);
  const all = rows.length === 0 ? '' : table(['option', 'meaning'], rows);
  const flags = 'And a flag for each setting of [configuration](../configuration.md).';
  return [all, settings.length === 0 ? '' : flags].filter((part) => part !== '').join('\n\n');
}

function meaningOf({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  const initial = defaultValue === undefined ? '' : ` (default: ${String(defaultValue)})`;
  return `${description}${choices}${initial}`;
}

function sentence(text: string): string {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
