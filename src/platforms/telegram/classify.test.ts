// Every answer Telegram is known to give, and what becomes of it.

import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../domain/outcome.ts';
import type { Reply } from '../../system/http/transport.ts';
import { classify, RETRY_AFTER_MS_DEFAULT, RETRY_AFTER_MS_MIN } from './classify.ts';
import { REASONS } from './reasons.ts';
import { REFUSALS } from './refusals.ts';

const PAGE_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body bgcolor="white">\r\n' +
  '<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.12.2' +
  '</center>\r\n</body>\r\n</html>';

const raw = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  ...{ kind: 'answered', status, headers, body },
});

const ok = (result: unknown): Reply => raw(200, JSON.stringify({ ok: true, result }));

const no = (code: number, description: string, parameters?: object, headers = {}): Reply =>
  raw(code, JSON.stringify({ ok: false, error_code: code, description, parameters }), headers);

describe('sent', () => {
  test.each([
    [{ message_id: 7, chat: { id: 1 } }, '7'],
    [[{ message_id: 8 }, { message_id: 9 }], '8'],
    [[], null],
    [true, null],
    [null, null],
  ])('%j has message id %j', (result, messageId) => {
    const reply = ok(result);
    const body = JSON.stringify({ ok: true, result });
    expect(classify('sendMessage', reply)).toEqual({ kind: 'sent', messageId, result: body });
  });

  test.each([
    [
      'editMessageText',
      'Bad Request: message is not modified: specified new message content and reply markup are ' +
        'exactly the same as a current content and reply markup of the message',
    ],
    ['deleteMessage', 'Bad Request: message to delete not found'],
    ['stopPoll', 'Bad Request: poll has already been closed'],
    ['closeForumTopic', 'Bad Request: TOPIC_NOT_MODIFIED'],
    ['setChatTitle', 'Bad Request: CHAT_NOT_MODIFIED'],
  ])('%s: the chat already is as wanted', (method, description) => {
    const outcome = classify(method, no(400, description));
    expect(outcome).toMatchObject({ kind: 'sent', messageId: null });
    expect(outcome).toMatchObject({ result: expect.stringContaining(description) });
  });
});

describe('limited', () => {
  const flood = 'Too Many Requests: retry after 35';
  const album =
    'Bad Request: failed to send message #1 with the error message ' +
    '"Too Many Requests: retry after 8"';
  test.each([
    ['body and header', no(429, flood, { retry_after: 35 }, { 'retry-after': '35' }), 35_000],
    ['header only', raw(429, '', { 'retry-after': '12' }), 12_000],
    ['header and a page', raw(429, '<html></html>', { 'retry-after': '12' }), 12_000],
    ['words only', no(429, flood), 35_000],
    ['body shorter than header', no(429, '', { retry_after: 3 }, { 'retry-after': '9' }), 9_000],
    ['no word of how long', raw(429, ''), RETRY_AFTER_MS_DEFAULT],
    ['a date', raw(429, '', { 'retry-after': 'Fri, 31 Dec 1999' }), RETRY_AFTER_MS_DEFAULT],
    ['zero', no(429, 'Too Many Requests', { retry_after: 0 }), RETRY_AFTER_MS_MIN],
    ['half a day', no(429, flood, { retry_after: 50_000 }), 50_000_000],
    ['inside the 400 of an album', no(400, album), 8_000],
  ])('%s', (_, reply, retryAfterMs) => {
    const outcome = classify('sendMediaGroup', reply);
    expect(outcome).toMatchObject({ kind: 'limited', retryAfterMs, scope: 'chat' });
  });

  test.each([
    ['sendMessage', 'chat'],
    ['editMessageText', 'chat'],
    ['sendSomethingNew', 'chat'],
    ['sendChatAction', 'family'],
    ['sendMessageDraft', 'family'],
    ['setMessageReaction', 'family'],
    ['deleteMessage', 'family'],
    ['answerCallbackQuery', 'family'],
  ])('a 429 of %s proves its %s', (method, scope) => {
    expect(classify(method, no(429, flood))).toMatchObject({ kind: 'limited', scope });
  });

  test('of an album only what did not arrive goes again', () => {
    const outcome = classify('sendMediaGroup', no(400, album.replace('#1', '#4')));
    expect(outcome).toMatchObject({ kind: 'limited', cure: { kind: 'drop_sent', count: 3 } });
    expect(classify('sendMediaGroup', no(400, album))).not.toHaveProperty('cure');
  });

  test('without words of Telegram the caller is told in Telegram’s form', () => {
    const outcome = classify('sendMessage', raw(429, '', { 'retry-after': '12' }));
    expect(outcome.kind === 'limited' && JSON.parse(outcome.result)).toEqual({
      ...{ ok: false, error_code: 429, description: 'Too Many Requests: retry after 12' },
      parameters: { retry_after: 12 },
    });
  });
});

describe('refused', () => {
  test.each([
    [400, 'Bad Request: chat not found', 'chat_not_found'],
    [400, 'Bad Request: chat_id is empty', 'chat_missing'],
    [400, 'Bad Request: message text is empty', 'message_empty'],
    [400, 'Bad Request: message is too long', 'too_long'],
    [400, 'Bad Request: message caption is too long', 'too_long'],
    [400, 'Bad Request: text is too long', 'too_long'],
    [400, 'Bad Request: RICH_MESSAGE_TEXT_TOO_LONG', 'too_long'],
    [400, 'Bad Request: message to edit not found', 'message_not_found'],
    [400, "Bad Request: message can't be edited", 'message_not_editable'],
    [400, "Bad Request: message can't be deleted", 'message_not_deletable'],
    [400, 'Bad Request: message to copy not found', 'message_not_found'],
    [
      400,
      'Bad Request: query is too old and response timeout expired or query ID is invalid',
      'query_expired',
    ],
    [
      400,
      'Bad Request: failed to send message #2 with the error message "chat not found"',
      'album_failed',
    ],
    [400, 'Bad Request: TOPIC_CLOSED', 'topic_closed'],
    [400, 'Bad Request: TEXTDRAFT_PEER_INVALID', 'draft_not_possible'],
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'not_enough_rights'],
    [400, 'Bad Request: wrong file identifier/HTTP URL specified', 'media_refused'],
    [400, 'Bad Request: REACTION_INVALID', 'bad_request'],
    [403, 'Forbidden: bot was blocked by the user', 'bot_blocked'],
    [403, 'Forbidden: user is deactivated', 'user_deactivated'],
    [403, 'Forbidden: bot was kicked from the group chat', 'bot_kicked'],
    [403, 'Forbidden: bot was kicked from the supergroup chat', 'bot_kicked'],
    [403, 'Forbidden: bot was kicked from the channel chat', 'bot_kicked'],
    [403, 'Forbidden: bot is not a member of the supergroup chat', 'not_a_member'],
    [403, 'Forbidden: the group chat was deleted', 'chat_deleted'],
    [403, "Forbidden: bot can't initiate conversation with a user", 'no_conversation'],
    [403, "Forbidden: bot can't send messages to the bot", 'peer_is_bot'],
    [403, 'Forbidden: something new', 'forbidden'],
    [401, 'Unauthorized', 'unauthorized'],
    [401, 'Unauthorized: invalid token specified', 'unauthorized'],
    [404, 'Not Found', 'unauthorized'],
    [421, 'Misdirected Request: unallowed token specified', 'unauthorized'],
    [400, 'Bad Request: Logged out', 'unauthorized'],
    [404, 'Not Found: method not found', 'method_not_found'],
    [413, 'Request Entity Too Large', 'too_large'],
  ])('%i %s: %s', (code, description, reason) => {
    const outcome = classify('sendMessage', no(code, description));
    const result = JSON.stringify({ ok: false, error_code: code, description });
    expect(outcome).toEqual({ kind: 'refused', reason, detail: description, result, cure: null });
  });

  test.each([
    [
      "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 33",
      'markup_unparsable',
      'plain_text',
    ],
    [
      "Bad Request: can't parse entities: Character '-' is reserved and must be escaped with the " +
        "preceding '\\'",
      'markup_unparsable',
      'plain_text',
    ],
    ['Bad Request: message to be replied not found', 'reply_not_found', 'drop_reply'],
    ['Bad Request: message thread not found', 'thread_not_found', 'drop_thread'],
  ])('%s has a cure', (description, reason, kind) => {
    const outcome = classify('sendMessage', no(400, description));
    expect(outcome).toMatchObject({ kind: 'refused', reason, cure: { kind } });
  });

  test('a group that became a supergroup is followed', () => {
    const reply = no(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1001234567890,
    });
    expect(classify('sendMessage', reply)).toMatchObject({
      ...{ kind: 'refused', reason: 'chat_migrated' },
      cure: { kind: 'move_chat', chat: '-1001234567890' },
    });
  });

  test.each(['', '<html>413</html>'])('413 with body %j', (body) => {
    const outcome = classify('sendPhoto', raw(413, body));
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'too_large', cure: null });
    expect(outcome.kind === 'refused' && JSON.parse(outcome.result)).toMatchObject({ ok: false });
  });
});

describe('failed: surely not carried out', () => {
  test.each([
    ['restart', no(500, 'Internal Server Error: restart'), 'restarting', true, true],
    ['503 page', raw(503, '<html>503</html>'), 'unavailable', true, true],
    ['409', no(409, 'Conflict: terminated by other getUpdates request'), 'conflict', false, false],
    ['404 of a stranger', raw(404, 'Cannot POST /bot42:secret/x'), 'not_telegram', true, true],
    ['403 page', raw(403, '<html>403 Forbidden</html>'), 'not_telegram', true, true],
    ['JSON of a stranger', raw(403, '{"error":"/bot42:secret"}'), 'not_telegram', true, true],
    ['a redirect', raw(302, ''), 'not_telegram', true, true],
    ['refused', { kind: 'unsent', reason: 'refused', detail: 'x' } as Reply, 'unsent', true, false],
    [
      'shut down',
      { kind: 'unsent', reason: 'shut_down', detail: '' } as Reply,
      'unsent',
      false,
      false,
    ],
  ])('%s', (_, reply, reason, hostDown, isAnswered) => {
    const outcome = classify('sendMessage', reply);
    expect(outcome).toMatchObject({ kind: 'failed', reason, hostDown });
    // One account's page must not stop the others of its host.
    expect('isAnswered' in outcome && outcome.isAnswered === true).toBe(isAnswered);
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});

describe('uncertain: nobody knows', () => {
  test.each([
    ['502 page', raw(502, PAGE_502), 'upstream_broken'],
    ['504 page', raw(504, '<html>504</html>'), 'upstream_broken'],
    ['502 in JSON', no(502, 'Bad Gateway'), 'upstream_broken'],
    ['500', no(500, 'Internal Server Error: sent message was deleted'), 'upstream_broken'],
    ['200 cut short', raw(200, '{"ok":true,"result":{"mess'), 'answer_unreadable'],
    ['200 page', raw(200, '<html>log in to the hotel</html>'), 'answer_unreadable'],
    ['200 empty', raw(200, ''), 'answer_unreadable'],
    ['200 of another shape', raw(200, '{"ok":true}'), 'answer_unreadable'],
    ['reset', { kind: 'lost', reason: 'reset', detail: 'x' } as Reply, 'answer_lost'],
    ['deadline', { kind: 'lost', reason: 'timeout', detail: 'x' } as Reply, 'answer_timeout'],
  ])('%s', (_, reply, reason) => {
    expect(classify('sendMessage', reply)).toMatchObject({ kind: 'uncertain', reason });
  });
});

test('reasons are stable codes with a sentence each', () => {
  for (const [code, sentence] of Object.entries(REASONS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  }
  for (const { reason } of REFUSALS) expect(REASONS).toHaveProperty(reason);
});

test('a yes with more levels than are read here is a yes: sent again it would be there twice', () => {
  const deep = `{"ok":true,"result":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  expect(classify('sendMessage', raw(200, deep))).toMatchObject({ kind: 'sent', messageId: null });
});

test('an endless description is cut', () => {
  const outcome = classify('sendMessage', no(400, `Bad Request: ${'x'.repeat(100_000)}`));
  expect(outcome.kind === 'refused' && outcome.detail.length).toBeLessThan(1000);
});

test('a 5xx is told with its status, whoever says it', () => {
  const statusOf = (outcome: Outcome) => ('status' in outcome ? outcome.status : null);
  const statuses = [500, 502, 503, 504].flatMap((status) => [
    classify('sendMessage', no(status, 'Bad Gateway')),
    classify('sendMessage', raw(status, '<html>')),
  ]);
  expect(statuses.map(statusOf)).toEqual([500, 500, 502, 502, 503, 503, 504, 504]);
  expect(statusOf(classify('sendMessage', no(500, 'Internal Server Error: restart')))).toBe(500);
  expect(statusOf(classify('sendMessage', no(400, 'Bad Request')))).toBeNull();
  expect(statusOf(classify('sendMessage', raw(409, '<html>')))).toBeNull();
});
