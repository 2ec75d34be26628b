// What a message of Discord is as a post.

import { expect, test } from 'vitest';
import { dateOf, idIn, postIn } from './posts.ts';

// Of Discord's own documents: the id and when it was made.
const ID = '175928847299117063';
const MADE_AT = '2016-04-30T11:18:25.796Z';

const aMessage = (changes: object = {}) => ({
  ...{ id: ID, type: 0, content: 'hello', author: { username: 'ann' }, edited_timestamp: null },
  ...{ attachments: [], embeds: [] },
  ...changes,
});

test('an id tells when it was made', () => {
  expect(new Date(dateOf(ID)).toISOString()).toBe(MADE_AT);
  expect(postIn(aMessage())).toEqual({
    ...{ id: ID, date: Date.parse(MADE_AT), editedAt: null, text: 'hello', author: 'ann' },
    ...{ groupId: null, media: [] },
  });
});

test('an edit has its time, an author the name that is shown', () => {
  const author = { username: 'ann', global_name: 'Ann' };
  const at = '2026-01-02T03:04:05.678000+00:00';
  expect(postIn(aMessage({ author, edited_timestamp: at }))).toMatchObject({
    author: 'Ann',
    editedAt: Date.parse('2026-01-02T03:04:05.678Z'),
  });
});

test('embeds that were sent are words, those of links are not', () => {
  const fields = [{ name: 'Wind', value: 'north' }];
  const sent = { type: 'rich', title: 'Weather', description: 'rain', fields };
  const ofLink = { type: 'article', title: 'A page' };
  expect(postIn(aMessage({ content: '', embeds: [sent, ofLink] }))?.text).toBe(
    'Weather\nrain\nWind\nnorth',
  );
});

test('attachments are media, by their type', () => {
  const url = 'https://cdn.discordapp.com/attachments/1/2/a.png?ex=1';
  const attachments = [
    { filename: 'a.png', size: 10, url, content_type: 'image/png' },
    { filename: 'b.bin', size: -1 },
  ];
  expect(postIn(aMessage({ attachments }))?.media).toEqual([
    { kind: 'image', name: 'a.png', bytes: 10, reference: url },
    { kind: 'file', name: 'b.bin', bytes: null, reference: null },
  ]);
});

test('what is passed on from elsewhere is its words', () => {
  const message_snapshots = [{ message: { content: 'from elsewhere' } }];
  expect(postIn(aMessage({ content: '', message_snapshots }))?.text).toBe('from elsewhere');
});

test('notes of the platform are no posts, and nonsense is nothing', () => {
  for (const type of [6, 7, 18, 21]) expect(postIn(aMessage({ type }))).toBeNull();
  for (const type of [19, 20, 23]) expect(postIn(aMessage({ type }))).not.toBeNull();
  for (const none of [null, 7, 'x', [], {}, { id: 5 }, { id: '99999999999999999999' }]) {
    expect(idIn(none)).toBeNull();
    expect(postIn(none)).toBeNull();
  }
  const odd = { id: ID, content: 7, author: 'x', attachments: {}, embeds: [null, 3], type: '0' };
  expect(postIn(odd)).toMatchObject({ text: '', author: null, media: [] });
});

test('a text of any length is bounded', () => {
  expect(postIn(aMessage({ content: 'x'.repeat(1_000_000) }))?.text).toHaveLength(20_000);
});
