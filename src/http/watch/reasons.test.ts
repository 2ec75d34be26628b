import { afterEach, expect, test } from 'vitest';
import { AUTH, type Bench, bench } from '../context.fixture.ts';
import { wordsOf } from './reasons.ts';

let at: Bench | null = null;

afterEach(() => at?.app.close());

test('codes of the platform and of Sluice, each with its sentence', async () => {
  at = await bench();
  const answer = await at.app.inject({ method: 'GET', url: '/v1/reasons', headers: AUTH });
  const { reasons, unreachable } = answer.json();
  expect(unreachable).toContain('bot_blocked');
  expect(unreachable).not.toContain('chat_not_found');
  expect(reasons).toMatchObject({
    bot_blocked: 'The user has blocked the bot.',
    process_ended: expect.stringContaining('it may have arrived'),
  });
  expect(Object.values(reasons).every((said) => /^[A-Z].*\.$/.test(String(said)))).toBe(true);
});

test('what platforms say differently of one code is said of none by name', () => {
  const words = wordsOf([
    {
      name: 'telegram',
      reasons: { bad: 'Telegram refuses it.', large: 'More than Telegram takes.' },
    },
    { name: 'discord', reasons: { bad: 'Discord refuses it.', gone: 'Discord knows it no more.' } },
    {
      name: 'whatsapp',
      reasons: { large: 'More than WhatsApp takes.', gone: 'Discord knows it no more.' },
    },
  ]);
  expect(words).toEqual({
    bad: 'The platform refuses it.',
    large: 'More than the platform takes.',
    gone: 'Discord knows it no more.',
  });
});
