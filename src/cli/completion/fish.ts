// The script for fish: one line for each thing that may follow, with the condition under which it may.

import type { Completed, CompletedOption } from './tree.ts';

export function fishScript(tree: readonly Completed[]): string {
  const names = [...new Set(tree.flatMap(({ commands }) => commands.map(({ name }) => name)))];
  return `# Completes sluice. Use it with: sluice completion fish | source
function __sluice_at
  set -l at
  for word in (commandline -opc)[2..-1]
    if contains -- $word ${names.join(' ')}
      set -a at $word
    end
  end
  test "$at" = "$argv"
end

complete -c sluice -f
${tree.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, words, takesFiles }: Completed): string[] {
  const at = `complete -c sluice -n ${quoted(`__sluice_at ${path.join(' ')}`.trimEnd())}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...words.map((word) => `${at} -a ${word}`),
    ...(takesFiles ? [`${at} -F`] : []),
    ...options.map((option) => `${at} ${optionOf(option)}`),
  ];
}

function optionOf({ flags, description, takesValue, choices, takesFiles }: CompletedOption) {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const value = takesValue ? [takesFiles ? '-r -F' : '-x'] : [];
  const allowed = choices.length === 0 ? [] : [`-a ${quoted(choices.join(' '))}`];
  return [...names, ...value, ...allowed, `-d ${quoted(description)}`].join(' ');
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
