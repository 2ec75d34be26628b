import { describe, expect, test } from 'vitest';
import { limitRules } from './limit-rules.ts';
import { describeProblem, type SettingProblem } from './problem.ts';
import { resolveConfig } from './resolve.ts';

const RULE = { name: 'fair share', limit: '30 per 60 s', scope: 'user' };

function resolve(yaml: string, env: Record<string, string> = {}) {
  const readText = () => expect.unreachable();
  return resolveConfig({ file: { path: 'sluice.yaml', text: yaml }, env, flags: {}, readText });
}

function problemsOf(yaml: string): string[] {
  const resolved = resolve(yaml);
  const problems: readonly SettingProblem[] = resolved.kind === 'wrong' ? resolved.problems : [];
  return problems.map(describeProblem);
}

const amountOf = (limit: string) => {
  const read = limitRules().read([{ ...RULE, limit }]);
  return read.kind === 'ok' ? read.value[0]!.amount : null;
};

describe('a limit', () => {
  test.each([
    ['20 per 60 s', { kind: 'window', count: 20, perMs: 60_000 }],
    ['5 per 5 s', { kind: 'window', count: 5, perMs: 5000 }],
    ['1 per s', { kind: 'window', count: 1, perMs: 1000 }],
    ['30 per min', { kind: 'window', count: 30, perMs: 60_000 }],
    ['1000 per 1 h', { kind: 'window', count: 1000, perMs: 3_600_000 }],
    ['1 per 1.5s', { kind: 'window', count: 1, perMs: 1500 }],
    ['1 per 6 s, burst 45', { kind: 'debt', burst: 45, everyMs: 6000 }],
    ['10 per min, burst 20', { kind: 'debt', burst: 20, everyMs: 6000 }],
  ])('%s', (limit, amount) => {
    expect(amountOf(limit)).toEqual(amount);
  });

  test.each([
    '',
    '20',
    '20/60s',
    '0 per 1 s',
    '20 per 0 s',
    '1 per 2 h',
    '10001 per 1 s',
    '-1 per 1 s',
    '1 per 6 s, burst 1',
    '1 per 60 s, burst 61',
    '1 per 6 s burst 45',
    '1 per day',
  ])('%s is none', (limit) => {
    expect(amountOf(limit)).toBeNull();
  });
});

describe('in the file', () => {
  test('for all, and for one account in place of them', () => {
    const resolved = resolve(`
limits:
  limit_rules:
    - {name: fair share, limit: 30 per 60 s, scope: user}
    - {name: slow deletes, limit: 1 per s, scope: account, calls: [delete], platform: telegram}
accounts:
  - {platform: terminal, name: wall, settings: {limit_rules: [{name: own, limit: 5 per 5 s, scope: chat}]}}
`);
    if (resolved.kind !== 'ok') throw new Error(resolved.problems.map(describeProblem).join('\n'));
    const { limitRules: rules, accounts } = resolved.config;
    expect(rules).toMatchObject([
      { name: 'fair share', scope: 'user', platform: null, families: ['send', 'edit'] },
      { name: 'slow deletes', scope: 'account', platform: 'telegram', families: ['delete'] },
    ]);
    expect(accounts[0]!.settings.limitRules.map(({ name }) => name)).toEqual(['own']);
  });

  test('as JSON in a variable', () => {
    const resolved = resolve('', { SLUICE_LIMIT_RULES: JSON.stringify([RULE]) });
    expect(resolved).toMatchObject({
      kind: 'ok',
      config: { limitRules: [{ name: 'fair share' }] },
    });
  });

  test.each([
    [
      '{name: a, limit: 5 per 5 s}',
      'limits.limit_rules[0].scope: expected one of account, chat, user',
    ],
    [
      '{name: a, limit: often, scope: chat}',
      'limits.limit_rules[0].limit = "often": expected such as "20 per 60 s"',
    ],
    [
      '{name: a_b, limit: 5 per 5 s, scope: chat}',
      'limits.limit_rules[0].name = "a_b": expected a name of its own',
    ],
    [
      '{name: a, limit: 5 per 5 s, scope: chat, burst: 9}',
      'limits.limit_rules[0].burst: expected name, limit, scope',
    ],
    [
      '{name: a, limit: 5 per 5 s, scope: chat, calls: [free]}',
      'limits.limit_rules[0].calls = ["free"]: expected a list of send',
    ],
    [
      '{name: a, limit: 5 per 5 s, scope: chat, platform: icq}',
      'limits.limit_rules[0].platform = "icq": expected one of',
    ],
    [
      '{name: a, limit: 1 per s, scope: chat}, {name: a, limit: 2 per s, scope: chat}',
      'limits.limit_rules[1].name = "a"',
    ],
    ['often', 'limits.limit_rules[0] = "often": expected name, limit, scope'],
  ])('%s stops the start', (rule, problem) => {
    expect(problemsOf(`limits: {limit_rules: [${rule}]}`)).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  test('too many, or no list', () => {
    const many = Array.from({ length: 21 }, (_, n) => ({ ...RULE, name: `r${n}` }));
    expect(limitRules().read(many)).toMatchObject({ kind: 'wrong' });
    expect(limitRules().read(many.slice(1))).toMatchObject({ kind: 'ok' });
    expect(problemsOf('limits: {limit_rules: 5 per 5 s}')).toHaveLength(1);
  });
});
