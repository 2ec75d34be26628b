// Settings from three places: who wins, what is refused, and that secrets stay secret.

import { describe, expect, test } from 'vitest';
import { describeProblem } from './problem.ts';
import { resolveConfig, type Sources } from './resolve.ts';
import { flagOf, variableOf } from './setting-row.ts';
import { SETTING_KEYS } from './settings.ts';
import { settingOf } from './values.ts';

const NOTHING: Sources = {
  file: null,
  env: {},
  flags: {},
  readText: () => {
    throw new Error('no such file');
  },
};

function resolve(given: Partial<Sources> & { yaml?: string }) {
  const { yaml, ...rest } = given;
  const file = yaml === undefined ? null : { path: 'sluice.yaml', text: yaml };
  return resolveConfig({ ...NOTHING, file, ...rest });
}

function configOf(given: Parameters<typeof resolve>[0]) {
  const resolved = resolve(given);
  if (resolved.kind === 'wrong') throw new Error(resolved.problems.map(describeProblem).join('\n'));
  return resolved;
}

function problemsOf(given: Parameters<typeof resolve>[0]): string[] {
  const resolved = resolve(given);
  return resolved.kind === 'wrong' ? resolved.problems.map(describeProblem) : [];
}

describe('the table', () => {
  test('names, variables and flags are unique, and every default is one its own reader takes', () => {
    const settings = SETTING_KEYS.map(settingOf);
    for (const namesOf of [(s: (typeof settings)[0]) => s.name, variableOf]) {
      expect(new Set(settings.map(namesOf)).size).toBe(settings.length);
    }
    for (const setting of settings) {
      const { initial } = setting;
      const raw = setting.name === 'wait' ? 'hold' : initial;
      expect(setting.reader.read(raw)).toEqual({ kind: 'ok', value: initial });
    }
  });

  test('a secret has no flag', () => {
    for (const setting of SETTING_KEYS.map(settingOf)) {
      expect(flagOf(setting) === null).toBe(setting.secret);
    }
  });
});

describe('sources', () => {
  test('defaults when nothing is said', () => {
    const { config, origins } = configOf({});
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, groupMpm: 20, accounts: [] });
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('file, then variables, then flags', () => {
    const { config, origins } = configOf({
      yaml: 'server: {port: 1, host: a}\nlimits: {group_mpm: 10}',
      env: { SLUICE_PORT: '2', SLUICE_HOST: 'b', SLUICE_URL: 'http://elsewhere', HOME: '/root' },
      flags: { '--port': '3' },
    });
    expect(config).toMatchObject({ port: 3, host: 'b', groupMpm: 10 });
    expect(origins).toMatchObject({ port: 'flag', host: 'variable', groupMpm: 'file' });
  });

  test('values that are not plain numbers or texts', () => {
    const env = { SLUICE_WAIT: '5', SLUICE_METRICS: 'off', SLUICE_ALLOWED_HOSTS: 'a.example, b' };
    expect(configOf({ env }).config).toMatchObject({
      wait: { kind: 'seconds', seconds: 5 },
      metrics: false,
      allowedHosts: ['a.example', 'b'],
    });
    const yaml =
      'limits: {user_per_minute: none}\nserver: {telegram_api: "http://127.0.0.1:8081/"}';
    expect(configOf({ yaml }).config).toMatchObject({
      userPerMinute: null,
      telegramApi: 'http://127.0.0.1:8081',
    });
  });

  test.each([
    ['127.0.0.1:443', true],
    ['sim.local:1', true],
    ['[::1]:443', true],
    ['127.0.0.1', false],
    ['127.0.0.1:70000', false],
    ['127.0.0.1:443/x', false],
    ['user@host:443', false],
    [':443', false],
  ])('%s is an address of a server: %s', (address, isOne) => {
    const problems = problemsOf({ env: { SLUICE_MTPROTO_DC: address } });
    expect(problems.length === 0).toBe(isOne);
  });
});

describe('what stops the start', () => {
  test('all problems at once, each with name, value and what would be right', () => {
    const problems = problemsOf({
      yaml: 'limits: {group_mpn: 3}\nretry: {retry_base_ms: -1}\nserfer: {}',
      env: { SLUICE_PORT: 'eighty', SLUICE_HOTS: 'x' },
      flags: { '--wait': 'maybe' },
    });
    expect(problems).toEqual([
      'limits.group_mpn: no such setting; did you mean limits.group_mpm?',
      'serfer: no such setting; did you mean server?',
      'SLUICE_HOTS: no such setting; did you mean SLUICE_HOST?',
      'retry.retry_base_ms = -1: expected a whole number from 1 to 3600000',
      'SLUICE_PORT = "eighty": expected a whole number from 0 to 65535',
      '--wait = "maybe": expected hold, async, or seconds from 0 to 3600',
    ]);
  });

  test('settings that contradict each other', () => {
    expect(problemsOf({ env: { SLUICE_RESERVE_MPM: '20' } })[0]).toContain('less than group_mpm');
    const [alone] = problemsOf({ env: { SLUICE_MTPROTO_API_HASH: 'a-secret-hash' } });
    expect(alone).toContain('together with mtproto_api_id');
    expect(alone).not.toContain('a-secret-hash');
    const both = { SLUICE_MTPROTO_API_ID: '5', SLUICE_MTPROTO_API_HASH: 'a-secret-hash' };
    expect(problemsOf({ env: both })).toEqual([]);
    expect(problemsOf({ env: { SLUICE_RETRY_BASE_MS: '30001' } })).toHaveLength(1);
    expect(problemsOf({ env: { SLUICE_BREAKER_OPEN_MS_MAX: '1' } })).toHaveLength(1);
  });

  test('what needs another setting is refused without it, and neither is told', () => {
    const redis = problemsOf({ env: { SLUICE_REDIS_URL: 'redis://:pass@host' } });
    expect(redis).toEqual(['redis_url: expected database_url beside it']);
    const database = problemsOf({ env: { SLUICE_DATABASE_URL: 'postgres://u:pass@host/db' } });
    expect(database).toEqual([
      'secret: expected a secret that all nodes on the same database_url share',
    ]);
    const node = {
      SLUICE_DATABASE_URL: 'postgres://u:pass@host/db',
      SLUICE_SECRET: 's'.repeat(32),
    };
    const order = /order = "platform": expected lane or account beside database_url/;
    expect(problemsOf({ env: { ...node, SLUICE_ORDER: 'account' } })).toEqual([]);
    expect(problemsOf({ env: { ...node, SLUICE_ORDER: 'platform' } })).toEqual([
      expect.stringMatching(order),
    ]);
    const entry = '{platform: terminal, name: wall, settings: {order: platform}}';
    expect(problemsOf({ env: node, yaml: `accounts: [${entry}]` })).toEqual([
      expect.stringMatching(order),
    ]);
  });

  test('a file that nests or unfolds without end, in little time', () => {
    const inline = `accounts: ${'['.repeat(70)}${']'.repeat(70)}`;
    expect(problemsOf({ yaml: inline })).toEqual([
      'sluice.yaml: expected YAML of few levels and aliases',
    ]);
    const indented = Array.from({ length: 100 }, (_, i) => `${' '.repeat(i)}server:`).join('\n');
    expect(problemsOf({ yaml: indented })).toEqual([
      'sluice.yaml: expected YAML of few levels and aliases',
    ]);
    const abyss = problemsOf({ yaml: `accounts: ${'['.repeat(3000)}` });
    expect(abyss).toEqual([expect.stringMatching(/^sluice\.yaml: not YAML: /)]);
    // Each is ten of the one before: a billion in all.
    const laughs = Array.from({ length: 9 }, (_, i) => {
      const of = i === 0 ? 'x' : `*a${i - 1}`;
      return `a${i}: &a${i} [${Array.from({ length: 10 }, () => of).join(', ')}]`;
    });
    const toLaughs = problemsOf({ yaml: laughs.join('\n') });
    expect(toLaughs).toEqual(['sluice.yaml: expected YAML of few levels and aliases']);
    // A list of itself.
    expect(problemsOf({ yaml: 'accounts: &a [*a]' })).toEqual([
      'sluice.yaml: expected YAML of few levels and aliases',
    ]);
  });

  test('a file that is not YAML, without quoting it', () => {
    const problems = problemsOf({ yaml: 'accounts: [{token: "1:secretsecret"' });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^sluice\.yaml: not YAML: /);
    expect(problems[0]).not.toContain('secretsecret');
  });
});

describe('accounts', () => {
  test('a token from the file, from another file, from a variable', () => {
    const { config } = configOf({
      yaml: [
        'retry: {attempts_max: 3}',
        'accounts:',
        '  - {name: a, platform: telegram, token: "1:aaa", settings: {group_mpm: 10}}',
        '  - {platform: telegram, token_file: /run/b}',
        '  - {name: c, platform: telegram, token_env: SLUICE_TOKEN_OF_C}',
      ].join('\n'),
      env: { SLUICE_TOKEN_OF_C: '3:ccc' },
      readText: (path) => (path === '/run/b' ? '2:bbb\n' : ''),
    });
    expect(config.accounts.map(({ name, token }) => [name, token])).toEqual([
      ['a', '1:aaa'],
      ['2', '2:bbb'],
      ['c', '3:ccc'],
    ]);
    expect(config.accounts[0]!.settings).toMatchObject({ groupMpm: 10, attemptsMax: 3 });
    expect(config.accounts[1]!.settings).toMatchObject({ groupMpm: 20, attemptsMax: 3 });
  });

  test('wrong entries are named; a token never is', () => {
    const problems = problemsOf({
      yaml: [
        'accounts:',
        '  - {platform: telegraph, token: "1:aaa"}',
        '  - {platform: telegram, token: "topsecret"}',
        '  - {platform: telegram, token_env: ABSENT}',
        '  - {platform: telegram, token: "4:dd", settings: {port: 1, group_mpm: 0, nope: 1}}',
        '  - {platform: telegram, tokn: "5:ee"}',
      ].join('\n'),
    });
    expect(problems).toEqual([
      'accounts[0].platform = "telegraph": expected one of telegram, slack, discord, whatsapp, terminal',
      'accounts[1].token: expected a bot token, <digits>:<letters> (1:sandbox is one of the simulator)',
      'accounts[2].token_env = "ABSENT": the token cannot be read from there',
      'accounts[3].settings.port: holds for the whole gateway; set it outside of accounts',
      'accounts[3].settings.nope: no such setting; `sluice config` lists all of them',
      'accounts[3].settings.group_mpm = 0: expected a whole number from 1 to 6000',
      'accounts[4].tokn: no such setting; did you mean accounts[4].token?',
      'accounts[4]: expected one of token, token_file, token_env',
    ]);
    expect(problems.join()).not.toContain('topsecret');
  });

  test('a terminal has a name and no token', () => {
    const entry = '{platform: terminal, name: wall, settings: {order: platform}}';
    const { config } = configOf({ yaml: `accounts: [${entry}]` });
    expect(config.accounts[0]).toMatchObject({ name: 'wall', platform: 'terminal', token: 'wall' });
    expect(config.accounts[0]!.settings.order).toBe('platform');
    const wrong = [
      '{platform: terminal}',
      '{platform: terminal, name: a, token: "1:secretsecret"}',
      '{platform: terminal, name: b, settings: {order: strict, platform_queue_max: 5}}',
    ];
    expect(problemsOf({ yaml: `accounts: [${wrong.join(', ')}]` })).toEqual([
      'accounts[0].name: expected 1 to 64 letters, digits, dots, dashes or underscores',
      'accounts[1].token: a terminal needs no token, only a name',
      'accounts[2].settings.platform_queue_max: holds for the whole gateway; set it outside of accounts',
      'accounts[2].settings.order = "strict": expected one of lane, account, platform',
    ]);
    expect(problemsOf({ env: { SLUICE_PLATFORM_QUEUE_MAX: '0' } })).toHaveLength(1);
  });

  test('two accounts of one name', () => {
    const entry = '{name: a, platform: telegram, token: "1:aaa"}';
    expect(problemsOf({ yaml: `accounts: [${entry}, ${entry}]` })[0]).toContain('name of its own');
  });
});

describe('variables of other systems', () => {
  test('mean the same as ours, which win', () => {
    const env = {
      ...{ PARSER_SCHEDULER_INTERVAL_SEC: '60', PARSER_MAX_CONCURRENCY: '8' },
      ...{ PARSER_RETRY_MAX: '5', LPA_MAX_AGE_HOURS: '12' },
    };
    const meant = { ingestIntervalS: 60, ingestConcurrencyMax: 8, ingestRetriesMax: 5 };
    expect(configOf({ env }).config).toMatchObject({ ...meant, lpaMaxAgeHours: 12 });
    const both = { SLUICE_INGEST_INTERVAL_S: '30', ...env };
    expect(configOf({ env: both }).config).toMatchObject({ ingestIntervalS: 30 });
    expect(problemsOf({ env: { PARSER_RETRY_MAX: 'x' } }).join()).toContain('PARSER_RETRY_MAX');
  });

  test.each([
    [{ FEATURE_INCREMENTAL_PARSING_ENABLED: 'true' }, 'on'],
    [{ FEATURE_INCREMENTAL_PARSING_ENABLED: 'False' }, 'historical'],
    [{ FEATURE_INCREMENTAL_PARSING_ENABLED: '0' }, 'historical'],
    [{ FEATURE_INCREMENTAL_PARSING_ENABLED: 'false', SLUICE_INGEST: 'off' }, 'off'],
    [{}, 'on'],
  ])('%j: ingest is %s', (env, mode) => {
    expect(configOf({ env }).config.ingest).toBe(mode);
  });
});
