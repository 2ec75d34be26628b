import { describe, expect, test } from 'vitest';
import { createLog, strikeSecrets } from './log.ts';

const TOKEN = '123456789:AAE-abcdefghijklmnopqrstuvwxyz01234';

function capture() {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    sink: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

describe('the log', () => {
  test('writes one JSON line with level, time and fields', () => {
    const { log, lines } = capture();
    log.info({ account: 'telegram:1' }, 'sent');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'info',
      account: 'telegram:1',
      msg: 'sent',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('keeps to its level', () => {
    const { log, lines } = capture();
    log.debug('quiet');
    expect(lines).toEqual([]);
  });

  test('removes named secrets, also one level down and in children', () => {
    const { log, lines } = capture();
    log.child({ token: 'whatever' }).warn({ account: { credential: 'abc' }, key: 'def' }, 'x');
    expect(lines[0]).not.toMatch(/whatever|abc|def/);
  });

  test.each([
    `POST /bot${TOKEN}/sendMessage failed`,
    `at /bot${TOKEN.replace(':', '%3A')}/getMe`,
    'sandbox 42:sandbox-a',
    'authorization: Bearer abcdefgh12345',
    'no such key: sluice_abcdefgh12345abcdefgh12345',
    'cookie: sluice_session=abcdefgh12345abcdefgh12345',
    'GET /login?token=abcdefgh12345abcdefgh12345',
    '42:sluiceabcdefgh12345abcdefgh12345',
  ])('strikes out what looks like a credential: %#', (text) => {
    const { log, lines } = capture();
    log.error({ err: new Error(text) }, text);
    expect(lines[0]).toContain('[secret]');
    expect(lines[0]).not.toMatch(/AAE-abc|:sandbox|abcdefgh12345/);
  });

  test('leaves times, ids and chats alone', () => {
    const line = '{"time":"2030-01-01T10:20:30.000Z","chat":"-1001234567890","id":"abcde-1z"}';
    expect(strikeSecrets(line)).toBe(line);
  });
});
