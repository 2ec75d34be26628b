// The priors as a table: which windows a call must fit.

import { describe, expect, test } from 'vitest';
import type { Charge } from '../../limits/limits.ts';
import { createPriors, outputMpm, TELEGRAM_LIMITS_DEFAULT, type TelegramLimits } from './limits.ts';

function rules(charge: Partial<Charge>, limits: Partial<TelegramLimits> = {}): string[] {
  const planOf = createPriors({ ...TELEGRAM_LIMITS_DEFAULT, ...limits });
  const send = {
    chat: '1',
    user: null,
    family: 'send',
    budget: 'reply',
    live: false,
    cost: 1,
  } as const;
  const plan = planOf({ ...send, ...charge });
  return [...plan.account, ...plan.chat].map(
    ({ name, count, perMs }) => `${name} ${count}/${perMs / 1000}s`,
  );
}

describe('the plan', () => {
  test.each<[Partial<Charge>, string[]]>([
    [{}, ['chat_second 1/1s']],
    [{ live: true }, ['chat_second 1/1s']],
    [{ budget: 'broadcast' }, ['account_broadcast 30/1s', 'chat_second 1/1s']],
    [{ budget: 'paid' }, ['account_paid 1000/1s', 'chat_second 1/1s']],
    [{ chat: '-5' }, ['chat_second 1/1s', 'group_minute 20/60s']],
    [{ chat: '@name' }, ['chat_second 1/1s', 'group_minute 20/60s']],
    [{ chat: '-5', family: 'edit', budget: 'open' }, ['chat_second 1/1s', 'group_minute 20/60s']],
    [
      { chat: '-5', family: 'edit', budget: 'open', live: true },
      ['chat_second 1/1s', 'group_minute 20/60s', 'group_output 16/60s'],
    ],
    [{ chat: 'inline:abc', family: 'edit', budget: 'open' }, ['chat_second 1/1s']],
    [{ chat: '-5', family: 'delete', budget: 'open' }, ['delete_second 5/1s']],
    [{ chat: '-5', family: 'reaction', budget: 'open' }, ['reaction_minute 20/60s']],
    [{ family: 'typing', budget: 'open' }, ['typing_spacing 1/4s', 'typing_second 1/1s']],
    [{ family: 'draft', budget: 'open' }, ['draft_second 1/1s']],
    [{ chat: 'query:q', family: 'free', budget: 'open' }, []],
  ])('of %j is %j', (charge, expected) => {
    expect(rules(charge)).toEqual(expected);
  });

  test('a limit per user is there when it is set', () => {
    expect(rules({}, { userPerMinute: 30 })).toEqual(['chat_second 1/1s', 'user_minute 30/60s']);
  });

  test.each([
    [0.5, 'chat_second 1/2s'],
    [3, 'chat_second 3/1s'],
    [2.5, 'chat_second 2/0.8s'],
  ])('%d per second is %s', (privatePerS, rule) => {
    expect(rules({}, { privatePerS })).toEqual([rule]);
  });
});

describe('what live output may use of a group', () => {
  test.each([
    [{}, 16],
    [{ reserveMpm: 10 }, 10],
    [{ outputBudgetRatio: 0.5 }, 10],
    [{ groupMpm: 10, reserveMpm: 0, outputBudgetRatio: 0.75 }, 7],
    [{ reserveMpm: 20 }, 1],
  ])('%j: %i per minute', (limits, expected) => {
    expect(outputMpm({ ...TELEGRAM_LIMITS_DEFAULT, ...limits })).toBe(expected);
  });
});
