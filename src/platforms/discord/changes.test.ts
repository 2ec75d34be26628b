import { expect, test } from 'vitest';
import { CHANGES } from './changes.ts';

const about = { channel_id: '1', message_id: '33' };

test('what changes a message is told in words, for copies elsewhere', () => {
  expect(CHANGES.read('editMessage', { ...about, content: 'new' })).toEqual({
    ...{ kind: 'edit', messages: ['33'], text: 'new' },
  });
  expect(CHANGES.read('deleteMessage', about)).toMatchObject({ kind: 'delete', text: null });
  const many = { channel_id: '1', messages: ['33', '34'] };
  expect(CHANGES.read('bulkDeleteMessages', many)?.messages).toEqual(['33', '34']);
  expect(CHANGES.read('createReaction', { ...about, emoji: 'x' })?.kind).toBe('reaction');
});

test('a new message changes none, and neither does an answer to an interaction', () => {
  expect(CHANGES.read('createMessage', { channel_id: '1', content: 'x' })).toBeNull();
  const answer = { application_id: '1', interaction_token: 'x', message_id: '33', content: 'y' };
  expect(CHANGES.read('editFollowup', answer)).toBeNull();
});

test('a change of another platform is made here, in the words that a copy gets', () => {
  const change = { messages: ['7'], text: 'a *b*' };
  expect(CHANGES.make({ ...change, kind: 'edit' }, '33')).toEqual({
    method: 'editMessage',
    params: { message_id: '33', content: 'a \\*b\\*', allowed_mentions: { parse: [] } },
  });
  expect(CHANGES.make({ ...change, kind: 'delete' }, '33')).toEqual({
    ...{ method: 'deleteMessage', params: { message_id: '33' } },
  });
  expect(CHANGES.make({ ...change, kind: 'reaction' }, '33')).toBeNull();
});
