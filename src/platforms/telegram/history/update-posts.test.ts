import { expect, test } from 'vitest';
import { postIn } from './update-posts.ts';

const chat = { id: -1001, type: 'channel', title: 'News', username: 'news' };
const POST = { message_id: 7, date: 1_700_000_000, chat, text: 'rain' };
const ALONE = { author: null, groupId: null, media: [] };

test('a new post and an edited one', () => {
  expect(postIn({ update_id: 1, channel_post: POST })).toEqual({
    channel: { id: '-1001', name: 'news' },
    post: { id: '7', date: 1_700_000_000_000, editedAt: null, text: 'rain', ...ALONE },
  });
  const edited = { ...POST, edit_date: 1_700_000_009, author_signature: 'Ann', text: 'snow' };
  expect(postIn({ update_id: 2, edited_channel_post: edited })?.post).toMatchObject({
    ...{ id: '7', editedAt: 1_700_000_009_000, text: 'snow', author: 'Ann' },
  });
});

test('media, with their caption and album', () => {
  const photo = [
    { file_id: 'small', file_size: 1 },
    { file_id: 'large', file_size: 9 },
  ];
  const document = { file_id: 'gif', file_name: 'a.mp4' };
  const { text: _text, ...bare } = POST;
  const album = { ...bare, caption: 'see', media_group_id: '55' };
  expect(postIn({ channel_post: { ...album, photo } })?.post).toMatchObject({
    ...{ text: 'see', groupId: '55' },
    media: [{ kind: 'photo', name: null, bytes: 9, reference: 'large' }],
  });
  const animation = { ...bare, animation: document, document };
  expect(postIn({ channel_post: animation })?.post.media).toEqual([
    { kind: 'animation', name: 'a.mp4', bytes: null, reference: 'gif' },
  ]);
});

test.each([
  null,
  'x',
  { message: POST },
  { channel_post: null },
  { channel_post: { ...POST, chat: 5 } },
  { channel_post: { ...POST, message_id: 0 } },
  { channel_post: { ...POST, message_id: '7' } },
  { channel_post: { ...POST, date: 1.5 } },
  { channel_post: { ...POST, chat: { id: 'x' } } },
])('%j tells of no post', (update) => expect(postIn(update)).toBeNull());
