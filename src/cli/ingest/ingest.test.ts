import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Questions } from './questions.ts';

const silent = { env: {}, out: () => {}, err: () => {} };

test('answers are lines that are piped in, and their end is an error', async () => {
  const questions = new Questions({ ...silent, input: Readable.from(['123\n45', '6\n']) });
  expect(await questions.ask('phone')).toBe('123');
  expect(await questions.askHidden('password')).toBe('456');
  await expect(questions.ask('code')).rejects.toThrow('nobody answers: code');
  questions.close();
});

test('a password is not shown while it is typed; other answers are', async () => {
  let shown = '';
  let press: (key: string) => void = () => {};
  const terminal = {
    size: () => ({ columns: 80, rows: 24 }),
    write: (text: string) => {
      shown += text;
    },
    attend: (handlers: { key(key: string): void }) => {
      press = handlers.key;
      return () => {};
    },
  };
  const questions = new Questions({ ...silent, terminal });
  const type = (keys: string) => {
    for (const key of keys) press(key);
  };
  const phone = questions.ask('phone');
  type('13\x7f2\r');
  expect(await phone).toBe('12');
  const password = questions.askHidden('password');
  type('secrex\x7ft\r');
  expect(await password).toBe('secret');
  expect(shown).toBe('phone: 13\b \b2\npassword: \n');
  const given = questions.ask('code');
  type('\x03');
  await expect(given).rejects.toThrow('given up');
});
