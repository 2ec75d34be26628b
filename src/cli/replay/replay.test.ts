import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway } from '../../app/gateway.ts';
import { defaultConfig } from '../../config/config.ts';
import { runCli } from '../program.ts';

const SECRET_TEXT = 'the butler did it';
const CHATS = [4242424242, -1009876543210];

describe('record and replay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
  const data = join(folder, 'data');
  const file = join(folder, 'day.jsonl');

  const run = async (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const io = {
      env: {},
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
    };
    return { code: await runCli(args, io), out: out.join('\n'), err: err.join('\n') };
  };

  // A gateway that has sent a few messages, and still runs.
  let gateway: Awaited<ReturnType<typeof createGateway>>;
  beforeAll(async () => {
    gateway = await createGateway(defaultConfig({ data, log: 'silent' }));
    for (const chat of CHATS) {
      for (let i = 0; i < 3; i++) {
        const to = { platform: 'telegram', account: '7:sandboxreplay', chat };
        await gateway.send({ to, body: { text: SECRET_TEXT }, priority: 'high', wait: true });
      }
    }
    await run('record', file, '--data', data);
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('what is no store of this version is refused in words, and leaves no file', async () => {
    const old = new URL('../../store/sqlite/schema/version-8.db.gz', import.meta.url);
    const older = join(folder, 'older');
    const empty = join(folder, 'empty');
    for (const dir of [older, empty]) mkdirSync(dir);
    writeFileSync(join(older, 'sluice.db'), gunzipSync(readFileSync(old)));
    const refused = join(folder, 'refused.jsonl');
    expect(await run('record', refused, '--data', older)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is of an older Sluice: start this one on it'),
    });
    expect(await run('record', refused, '--data', empty)).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no store in'),
    });
    const config = join(folder, 'node.yaml');
    const node = { database_url: 'postgres://a@127.0.0.1/b', secret: 's'.repeat(32), data: empty };
    writeFileSync(config, JSON.stringify({ server: node }));
    expect(await run('record', refused, '--config', config)).toMatchObject({
      code: 1,
      err: expect.stringContaining('with database_url the deliveries are in Postgres'),
    });
    expect(existsSync(refused)).toBe(false);
  });

  test('a recording has times, sizes, classes and outcomes, and neither content nor names', () => {
    const text = readFileSync(file, 'utf8');
    const [head, ...lines] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(head).toMatchObject({ recording: 2 });
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({
      ...{ method: 'sendMessage', family: 'send', priority: 'high', state: 'sent' },
      attempts: [{ outcome: 'sent' }],
    });
    expect(lines[0].bytes).toBeGreaterThan(SECRET_TEXT.length);
    // Who is who stays the same within it; a group is told from a person.
    expect(new Set(lines.map(({ chat }) => chat)).size).toBe(2);
    expect(lines.filter(({ chat }) => chat.startsWith('-'))).toHaveLength(3);
    for (const secret of [SECRET_TEXT, 'sandbox', ...CHATS.map((id) => `${Math.abs(id)}`)]) {
      expect(text).not.toContain(secret);
    }
  });

  test('two recordings of one day have no name in common', async () => {
    const other = join(folder, 'again.jsonl');
    expect((await run('record', other, '--data', data)).code).toBe(0);
    const chatsOf = (path: string) => readFileSync(path, 'utf8').match(/"chat":"[^"]+"/g)!;
    expect(chatsOf(other)).toHaveLength(6);
    expect(chatsOf(other).filter((chat) => chatsOf(file).includes(chat))).toEqual([]);
  });

  test('what it was, what it would be, and what other settings would have made of it', async () => {
    const slower = ['--set', 'limits.reserve_mpm=0', '--set', 'limits.group_mpm=1'];
    const { code, out, err } = await run('replay', file, ...slower);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/RECORDED +AS SET +CHANGED/);
    expect(out).toContain('changed: limits.reserve_mpm=0, limits.group_mpm=1');
    expect(out).toMatch(/sent +6 +6 +6/);
    const json = await run('replay', file, ...slower, '--json');
    const { asSet, changed, leftOut } = JSON.parse(json.out);
    expect(changed.waits.p99Ms).toBeGreaterThan(asSet.waits.p99Ms * 5);
    expect(leftOut).toBe(0);
  });

  test.each([
    [['replay', 'FILE', '--set', 'limits.nonsense=1'], 2, 'sluice config'],
    [['replay', 'FILE', '--set', 'limits.group_mpm'], 2, 'NAME=VALUE'],
    [['replay', 'FILE', '--set', 'limits.group_mpm=many'], 2, 'group'],
    [['replay', 'FILE', '--truth', '0'], 2, '--truth'],
    [['replay', 'NOWHERE'], 1, 'there is no file'],
    [['record', 'FILE', '--data', 'DATA'], 1, 'is there already'],
    [['record', 'NOWHERE', '--data', 'NOWHERE'], 1, 'there is no data folder'],
    [['record', 'NOWHERE', '--since', 'yesterday'], 2, '--since'],
  ])('%j fails with what is wrong', async (args, code, said) => {
    const names: Record<string, string> = { FILE: file, DATA: data, NOWHERE: join(folder, 'none') };
    const ended = await run(...args.map((arg) => names[arg] ?? arg));
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(said);
  });
});
