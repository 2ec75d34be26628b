import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from './examples.ts';
import { createProgram, runCli } from './program.ts';

const silent = { env: {}, out: () => {}, err: () => {} };

function pathsOf(command: Command, path: readonly string[] = []): string[] {
  const own = path.length === 0 ? [] : [path.join(' ')];
  return [...own, ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))];
}

// Read as it is typed, but nothing is done.
async function parse(line: string): Promise<string | null> {
  const program = createProgram(silent);
  let ran: string | null = null;
  const idle = (command: Command, path: readonly string[]) => {
    if (command.commands.length === 0 || path.length > 0) {
      command.action(() => {
        ran = path.join(' ');
      });
    }
    command.exitOverride();
    for (const each of command.commands) idle(each, [...path, each.name()]);
  };
  idle(program, []);
  await program.parseAsync(argumentsOf(line), { from: 'user' });
  return ran;
}

// The words after `sluice`, until the shell takes over again.
function argumentsOf(line: string): string[] {
  const typed = line.replace(/^.*?\bsluice /, '').replace(/\)$| \| .*$/, '');
  const words = typed.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

describe('examples', () => {
  const paths = pathsOf(createProgram(silent));

  test('every command has one, but those that only hold others', () => {
    const without = paths.filter((path) => EXAMPLES[path] === undefined);
    expect(without.filter((path) => !paths.some((one) => one.startsWith(`${path} `)))).toEqual([]);
    expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([]);
  });

  const lines = Object.entries(EXAMPLES).flatMap(([path, all]) => all.map((line) => [line, path]));
  test.each(lines)('%s', async (line, path) => {
    expect(await parse(line!)).toBe(path);
  });

  test.each([[[]], [['dead']], [['dead', 'list']], [['keys']], [['top']]])(
    'the help of %j ends with some',
    async (path) => {
      const out: string[] = [];
      const io = { ...silent, out: (line: string) => out.push(line) };
      expect(await runCli([...path, '--help'], io)).toBe(0);
      expect(out.join('\n')).toMatch(/Examples:\n {2}sluice [a-z]/);
    },
  );

  test('one that is wrong is caught', async () => {
    await expect(parse('sluice top --colour red')).rejects.toThrow('unknown option');
    await expect(parse('sluice explain')).rejects.toThrow('missing required argument');
  });
});
