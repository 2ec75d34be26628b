// The script for bash (3.2 and newer, so that a Mac's own will do): a table of what follows what, and a walk along the
// words typed so far that tells which row of it counts.

import type { Completed } from './tree.ts';

export function bashScript(tree: readonly Completed[]): string {
  return `# Completes sluice. Use it with: source <(sluice completion bash)
_sluice_row() {
  commands= options= valued= words= files=
  case "$1" in
${tree.map(rowOf).join('\n')}
  esac
}

_sluice_value() {
  case "$1" in
${tree.flatMap(valuesOf).join('\n')}
  *) return 1 ;;
  esac
}

_sluice() {
  local commands options valued words files path= i word
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  # --sort=name is three words here.
  if [ "$cur" = "=" ]; then cur=
  elif [ "$prev" = "=" ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  _sluice_row ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case " $valued " in *" $word "*) i=$((i + 1)); continue ;; esac
    case " $commands " in *" $word "*) path="$path/$word"; _sluice_row "$path" ;; esac
  done
  case " $valued " in
  *" $prev "*) _sluice_value "$path $prev"; return ;;
  esac
  case "$cur" in
  -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
  *) COMPREPLY=($(compgen -W "$commands $words" -- "$cur"))
    if [ -n "$files" ]; then _sluice_files; fi ;;
  esac
}

_sluice_files() {
  local IFS=$'\\n'
  COMPREPLY=("\${COMPREPLY[@]}" $(compgen -f -- "$cur"))
  compopt -o filenames 2>/dev/null || true
}

complete -F _sluice sluice
`;
}

function rowOf({ path, commands, options, words, takesFiles }: Completed): string {
  const flags = options.flatMap((option) => option.flags);
  const valued = options.flatMap((option) => (option.takesValue ? option.flags : []));
  const parts = {
    commands: commands.map(({ name }) => name),
    options: flags,
    valued,
    words,
    files: takesFiles ? ['yes'] : [],
  };
  const set = Object.entries(parts)
    .filter(([, all]) => all.length > 0)
    .map(([name, all]) => `${name}="${all.join(' ')}"`);
  return `  "${keyOf(path)}") ${set.join(' ')} ;;`;
}

function valuesOf({ path, options }: Completed): string[] {
  return options
    .filter(({ choices, takesFiles }) => choices.length > 0 || takesFiles)
    .map(({ flags, choices }) => {
      const key = flags.map((flag) => `"${keyOf(path)} ${flag}"`).join(' | ');
      if (choices.length === 0) return `  ${key}) _sluice_files ;;`;
      return `  ${key}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")) ;;`;
    });
}

function keyOf(path: readonly string[]): string {
  return path.map((name) => `/${name}`).join('');
}
