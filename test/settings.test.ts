// A file of settings that worked goes on working: one of each version is kept in `settings/`, and never changed.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FILE_VERSION, FORMER_NAMES } from '../src/config/former.ts';
import { describeProblem } from '../src/config/problem.ts';
import { resolveConfig } from '../src/config/resolve.ts';
import { runSluice, Sluice } from './process/sluice.ts';

const FOLDER = fileURLToPath(new URL('settings/', import.meta.url));
const fileOf = (version: number) => `${FOLDER}version-${version}.yaml`;
const VERSIONS = Array.from({ length: FILE_VERSION }, (_, i) => i + 1);

function resolve(text: string, env: Record<string, string> = {}) {
  const readText = () => expect.unreachable();
  return resolveConfig({ file: { path: 'sluice.yaml', text }, env, flags: {}, readText });
}

function read(text: string, env: Record<string, string> = {}) {
  const resolved = resolve(text, env);
  if (resolved.kind === 'wrong') throw new Error(resolved.problems.map(describeProblem).join('\n'));
  return resolved;
}

test('there is a file of every version, and no other', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(VERSIONS.map((each) => `version-${each}.yaml`));
});

describe.each(VERSIONS)('the file of version %i', (version) => {
  const text = readFileSync(fileOf(version), 'utf8');

  test('means what it meant', () => {
    const { config } = read(text);
    expect(config).toMatchObject({ port: 9090, groupMpm: 15, activeWindowS: 20, retentionDays: 5 });
  });

  test('has a warning for each name that is not used any more', () => {
    const old = FORMER_NAMES.filter(({ until }) => until > version);
    const { warnings } = read(text);
    expect(warnings.map((each) => each.split(' ')[0])).toEqual(old.map(({ name }) => name));
  });
});

test('the commands tell the warnings, and work', async () => {
  const { code, out, err } = await runSluice(['config', '--config', fileOf(1)]);
  expect(code).toBe(0);
  expect(out).toMatch(/live\.active_window_s +20 /);
  expect(err).toContain(
    'warning: limits.active_window_s is called live.active_window_s since version 2 of the file',
  );
  expect(err).toContain('warning: retention.idempotency_hours has no effect since version 2');
});

test('a variable that is gone is told and left out; one that is still there is not told', () => {
  const env = { SLUICE_IDEMPOTENCY_HOURS: '48', SLUICE_ACTIVE_WINDOW_S: '7' };
  const { config, warnings } = read('', env);
  expect(config.activeWindowS).toBe(7);
  expect(warnings).toEqual([
    'SLUICE_IDEMPOTENCY_HOURS has no effect since version 2 of the file: an Idempotency-Key is remembered for 24 hours',
  ]);
});

test.each([FILE_VERSION + 1, 0, 1.5, 'new', null])('version %j is refused', (version) => {
  const resolved = resolve(`version: ${JSON.stringify(version)}`);
  expect(resolved).toMatchObject({ kind: 'wrong', problems: [{ name: 'version' }] });
});

test('a gateway that runs tells its settings, where a start from here would differ, and no secret', async () => {
  const data = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  const secret = 'the-admin-key-of-this-test';
  const args = ['serve', '--port', '0', '--data', data, '--group-mpm', '11', '--log', 'error'];
  const gateway = new Sluice(args, { SLUICE_ADMIN_KEY: secret });
  try {
    const url = /http:[^\s;]+/.exec(await gateway.said('listens on'))![0];
    const env = { SLUICE_DATA: data, SLUICE_KEY: secret };
    const { code, out } = await runSluice(['config', '--running', '--url', url], env);
    expect(code).toBe(0);
    expect(out).toMatch(/limits\.group_mpm +11 +per any minute +20$/m);
    expect(out).toMatch(/server\.data +\S+$/m);
    expect(out).not.toContain(secret);
    const { out: json } = await runSluice(['config', '--running', '--url', url, '--json'], env);
    expect(json).not.toContain(secret);
    expect(JSON.parse(json).settings['limits.group_mpm']).toEqual({
      ...{ value: 11, unit: 'per any minute', isDefault: false },
      ...{ variable: 'SLUICE_GROUP_MPM', meaning: expect.any(String) },
    });
  } finally {
    gateway.kill('SIGTERM');
    await gateway.ended;
    rmSync(data, { recursive: true, force: true });
  }
});
