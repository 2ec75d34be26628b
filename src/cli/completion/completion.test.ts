import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runCli } from '../program.ts';

async function scriptFor(shell: string): Promise<string> {
  const out: string[] = [];
  const io = { env: {}, out: (line: string) => out.push(line), err: () => {} };
  expect(await runCli(['completion', shell], io)).toBe(0);
  return out.join('\n');
}

// What bash offers for the last word of the line, asked of a real one.
function offered(script: string, words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const asked = `${script}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
_sluice
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', asked], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

describe('bash', () => {
  test.each([
    [['de'], ['dead']],
    [
      ['dead', ''],
      ['list', 'show', 'edit', 'retry', 'discard', 'help'],
    ],
    [['dead', 'list', '--rea'], ['--reason']],
    [
      ['send', '--priority', ''],
      ['critical', 'high', 'normal', 'low'],
    ],
    // What looks like a command is the value of an option.
    [['stream', '--session', 'list', '--tran'], ['--transport']],
    [['top', '--sort', '=', 'n'], ['name']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['restore', 'package.js'], ['package.json']],
    [['serve', '--config', 'package.js'], ['package.json']],
    [['pause', ''], []],
  ])('%j: %j', async (typed, expected) => {
    expect(offered(await scriptFor('bash'), ['sluice', ...typed])).toEqual(expected);
  });

  test('knows every flag of serve', async () => {
    const flags = offered(await scriptFor('bash'), ['sluice', 'serve', '--']);
    expect(flags).toContain('--group-mpm');
    expect(flags).toContain('--drain-ms-max');
  });
});

test('zsh takes the script of bash', async () => {
  expect(await scriptFor('zsh')).toContain(await scriptFor('bash'));
});

test('fish gets a line for each thing, quoted', async () => {
  const script = await scriptFor('fish');
  expect(script).toContain("complete -c sluice -n '__sluice_at dead' -a retry -d 'queue dead");
  expect(script).toContain("-n '__sluice_at send' -l priority -x -a 'critical high normal low'");
  for (const line of script.split('\n').filter((each) => each.startsWith('complete '))) {
    expect(line.replace(/\\'/g, '').match(/'/g)?.length ?? 0, line).toSatisfy(isEven);
  }
});

test('another shell is wrong usage', async () => {
  const io = { env: {}, out: () => {}, err: () => {} };
  expect(await runCli(['completion', 'tcsh'], io)).toBe(2);
});

function isEven(n: number): boolean {
  return n % 2 === 0;
}
