import { expect, test } from 'vitest';
import type { LoginOutcome, LoginQuestions } from '../../platforms/history.ts';
import { virtualClock } from '../../system/virtual-clock.ts';
import { ANSWER_MS_MAX, LOGINS_MAX, Logins } from './logins.ts';

const CODE = '24680';
const PASSWORD = 'correct horse';
const ACCOUNT = { kind: 'logged_in', id: '7', name: 'Ada', session: 'the session' } as const;

// A platform that asks until the answers are right.
async function logIn(questions: LoginQuestions): Promise<LoginOutcome> {
  try {
    if ((await questions.phone()) === '429') return { kind: 'wait', waitMs: 9000 };
    while ((await questions.code()) !== CODE);
    while ((await questions.password('a horse')) !== PASSWORD);
    return ACCOUNT;
  } catch (error) {
    return { kind: 'failed', reason: 'network', detail: String(error) };
  }
}
const KIND = { kind: 'mtproto', logIn };

function scene() {
  const clock = virtualClock(0);
  const kept: unknown[] = [];
  let last = 0;
  const logins = new Logins({
    clock,
    newId: () => `l${++last}`,
    keep: async (kind, account) => {
      kept.push([kind, account]);
    },
  });
  return { clock, kept, logins };
}

const asks = (question: string, more: object = {}) => ({
  step: { kind: 'asks', question, hint: null, isAgain: false, ...more },
});

test('a person answers one question after the other, and the session is kept', async () => {
  const { kept, logins } = scene();
  expect(await logins.begin(KIND, '+1 555')).toMatchObject({ id: 'l1', ...asks('code') });
  expect(await logins.answer('l1', 'code', '1')).toMatchObject(asks('code', { isAgain: true }));
  const hinted = asks('password', { hint: 'a horse' });
  expect(await logins.answer('l1', 'code', CODE)).toMatchObject(hinted);
  // Sent twice: it is no password.
  expect(await logins.answer('l1', 'code', CODE)).toMatchObject(hinted);
  expect(kept).toEqual([]);
  const done = await logins.answer('l1', 'password', PASSWORD);
  expect(done).toEqual({
    id: 'l1',
    kind: 'mtproto',
    step: { kind: 'logged_in', id: '7', name: 'Ada' },
  });
  expect(kept).toEqual([['mtproto', ACCOUNT]]);
  expect(await logins.answer('l1', 'password', PASSWORD)).toBeNull();
  expect(logins.end('l1')).toBe(false);
});

test('a wait and a fault end it', async () => {
  const { logins } = scene();
  const waits = await logins.begin(KIND, '429');
  expect(waits?.step).toEqual({ kind: 'wait', waitMs: 9000 });
  const broken = { kind: 'mtproto', logIn: () => Promise.reject(new Error('a fault')) };
  await expect(logins.begin(broken, '1')).rejects.toThrow('a fault');
  expect(logins.end('l1')).toBe(false);
  expect(logins.end('l2')).toBe(false);
});

test('who gives up, or answers no more, makes room for others', async () => {
  const { clock, kept, logins } = scene();
  for (let n = 0; n < LOGINS_MAX; n++) await logins.begin(KIND, '1');
  expect(await logins.begin(KIND, '1')).toBeNull();
  expect(logins.end('l1')).toBe(true);
  expect(await logins.answer('l1', 'code', CODE)).toBeNull();
  expect(await logins.begin(KIND, '1')).toMatchObject(asks('code'));
  await clock.run(ANSWER_MS_MAX);
  expect(await logins.answer('l2', 'code', CODE)).toBeNull();
  expect(await logins.begin(KIND, '1')).toMatchObject(asks('code'));
  logins.stop();
  expect(kept).toEqual([]);
});

test('what was given up while the platform was being asked is not kept', async () => {
  const { kept, logins } = scene();
  const answered = Promise.withResolvers<LoginOutcome>();
  const slow = {
    kind: 'mtproto',
    async logIn(questions: LoginQuestions) {
      await questions.code();
      return answered.promise;
    },
  };
  await logins.begin(slow, '1');
  const step = logins.answer('l1', 'code', CODE);
  expect(logins.end('l1')).toBe(true);
  answered.resolve(ACCOUNT);
  await step;
  expect(kept).toEqual([]);
});
