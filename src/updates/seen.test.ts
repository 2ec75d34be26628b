import { describe, expect, test } from 'vitest';
import type { AccountId } from '../domain/ids.ts';
import type { UpdateSummary } from '../platforms/platform.ts';
import { BUDGETS } from '../platforms/telegram/budgets.ts';
import { replyTarget } from '../platforms/telegram/reply-target.ts';
import { type AnsweringCall, Updates } from './seen.ts';

const ACCOUNT = 'telegram:42';
const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const RULES = { replyTarget, budgets: BUDGETS };

function wrote(changes: Partial<UpdateSummary> = {}): UpdateSummary {
  return { id: '1', order: 1, chat: '7', messageId: '5', voice: 'wrote', saidAt: null, ...changes };
}

function call(changes: Partial<AnsweringCall> = {}): AnsweringCall {
  return { chat: '7', family: 'send', budget: 'broadcast', params: {}, ...changes };
}

const reply = (id: unknown) => ({ reply_parameters: { message_id: id } });

test('who wrote what a call replies to is known, of messages that told it', () => {
  const updates = new Updates(() => RULES);
  updates.remember(ACCOUNT, wrote({ user: '11' }), NOW);
  updates.remember(ACCOUNT, wrote({ messageId: '6' }), NOW);
  const author = (params: object) => updates.authorOf(ACCOUNT, call({ params: { ...params } }));
  expect(author(reply(5))).toBe('11');
  expect([author(reply(6)), author(reply(7)), author({})]).toEqual([null, null, null]);
  expect(updates.authorOf('telegram:43', call({ params: reply(5) }))).toBeNull();
});

describe('reply or broadcast', () => {
  const updates = new Updates(() => RULES);
  updates.remember(ACCOUNT, wrote(), NOW);
  const budget = (changes: Partial<AnsweringCall>, now = NOW, windowMs = HOUR) =>
    updates.budgetFor(ACCOUNT, call(changes), now, windowMs);

  test('who wrote within the window is answered; later it is broadcast again', () => {
    expect(budget({}, NOW + HOUR)).toBe('reply');
    expect(budget({}, NOW + HOUR + 1)).toBe('broadcast');
    expect(budget({ chat: '8' })).toBe('broadcast');
    expect(budget({}, NOW + 1, 0)).toBe('broadcast');
  });

  test('a reply to a message that came in is an answer, however late', () => {
    const late = NOW + 9 * HOUR;
    expect(budget({ params: reply(5) }, late)).toBe('reply');
    expect(budget({ params: reply('5') }, late)).toBe('reply');
    expect(budget({ params: { reply_parameters: '{"message_id":5}' } }, late)).toBe('reply');
    expect(budget({ params: { reply_to_message_id: '5' } }, late)).toBe('reply');
    expect(budget({ params: { reply_parameters: { message_id: 5, chat_id: 7 } } }, late)).toBe(
      'reply',
    );
  });

  test('a reply to anything else is not, whatever the call claims', () => {
    const late = NOW + 9 * HOUR;
    for (const params of [
      reply(6),
      { reply_parameters: { message_id: 5, chat_id: 8 } },
      { reply_parameters: '{' },
      { reply_to_message_id: 'x' },
    ]) {
      expect(budget({ budget: 'reply', params }, late)).toBe('broadcast');
    }
  });

  test('paid and open stay what they are', () => {
    expect(budget({ budget: 'paid' })).toBe('paid');
    expect(budget({ budget: 'open', family: 'edit' })).toBe('open');
  });

  test('of an account whose updates nobody showed us, the call’s own word must do', () => {
    const fresh = new Updates(() => RULES);
    expect(fresh.budgetFor(ACCOUNT, call({ budget: 'reply' }), NOW, HOUR)).toBe('reply');
    expect(fresh.budgetFor(ACCOUNT, call(), NOW, HOUR)).toBe('broadcast');
  });

  test('what is told late was said when it was said', () => {
    const away = new Updates(() => RULES);
    away.remember(ACCOUNT, wrote({ saidAt: NOW - 5 * HOUR }), NOW);
    expect(away.budgetFor(ACCOUNT, call(), NOW, HOUR)).toBe('broadcast');
    // A clock ahead of ours gives no credit.
    away.remember(ACCOUNT, wrote({ saidAt: NOW + 5 * HOUR }), NOW);
    expect(away.budgetFor(ACCOUNT, call(), NOW + 2 * HOUR, HOUR)).toBe('broadcast');
  });
});

describe('priority', () => {
  const updates = new Updates(() => RULES);
  updates.remember(ACCOUNT, wrote({ chat: '-100', messageId: '1', voice: 'addressed' }), NOW);
  updates.remember(ACCOUNT, wrote({ chat: '-100', messageId: '2' }), NOW + 1);
  const priority = (changes: Partial<AnsweringCall>, now = NOW + 2) =>
    updates.priorityFor(ACCOUNT, call({ chat: '-100', ...changes }), now);

  test('the answer to one who meant the bot is high, also when others spoke meanwhile', () => {
    expect(priority({})).toBe('high');
    expect(priority({ params: reply(1) }, NOW + 9 * HOUR)).toBe('high');
  });

  test('the answer to another message, to another chat, or after a while is not', () => {
    expect(priority({ params: reply(2) })).toBeNull();
    expect(priority({ chat: '-101' })).toBeNull();
    expect(priority({}, NOW + HOUR)).toBeNull();
    expect(priority({ family: 'edit' })).toBeNull();
  });
});

test('memory is bounded: what was silent longest is forgotten first', () => {
  const updates = new Updates(() => RULES, { chatsMax: 2, messagesMax: 2, namesMax: 2 });
  for (const chat of ['1', '2', '1', '3']) {
    updates.remember(ACCOUNT, wrote({ chat, messageId: `${chat}0` }), NOW);
  }
  const budget = (chat: string) => updates.budgetFor(ACCOUNT, call({ chat }), NOW, HOUR);
  expect(['1', '2', '3'].map(budget)).toEqual(['reply', 'broadcast', 'reply']);
  expect(updates.budgetFor('telegram:43', call({ chat: '1' }), NOW, HOUR)).toBe('broadcast');
});

test('a chat is called what its newest update says; names are bounded over all accounts', () => {
  const updates = new Updates(() => RULES, { chatsMax: 9, messagesMax: 9, namesMax: 2 });
  const name = (account: AccountId, chat: string, chatName: string) =>
    updates.remember(account, { ...wrote({ chat }), chatName }, NOW);
  name(ACCOUNT, '1', 'Ada');
  name('telegram:43', '1', 'Grace');
  name(ACCOUNT, '1', 'Ada L.');
  name(ACCOUNT, '2', 'News');
  expect(updates.nameOf(ACCOUNT, '1')).toBe('Ada L.');
  expect(updates.nameOf(ACCOUNT, '2')).toBe('News');
  expect(updates.nameOf('telegram:43', '1')).toBeNull();
  updates.forget(ACCOUNT);
  expect(updates.nameOf(ACCOUNT, '1')).toBeNull();
});

test('what was seen of a removed account is forgotten', () => {
  const updates = new Updates(() => RULES);
  updates.remember(ACCOUNT, wrote(), NOW);
  updates.forget(ACCOUNT);
  expect(updates.budgetFor(ACCOUNT, call(), NOW, HOUR)).toBe('broadcast');
});
