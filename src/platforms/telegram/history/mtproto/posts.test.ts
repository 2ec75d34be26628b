import { Long, type tl } from '@mtcute/core';
import { expect, test } from 'vitest';
import { postsOf } from './posts.ts';

const PEER = { _: 'peerChannel', channelId: 5 } as const;

function message(fields: Partial<tl.RawMessage>): tl.RawMessage {
  return { _: 'message', id: 1, peerId: PEER, date: 1000, message: 'text', ...fields };
}

function mediaOf(media: tl.TypeMessageMedia) {
  return postsOf([message({ media })])[0]!.media;
}

function document(...attributes: tl.TypeDocumentAttribute[]): tl.TypeMessageMedia {
  const file = {
    _: 'document',
    id: Long.ONE,
    accessHash: Long.ONE,
    fileReference: new Uint8Array(),
    date: 0,
    mimeType: 'x/y',
    size: 5000,
    dcId: 2,
    attributes,
  } as const;
  return { _: 'messageMediaDocument', document: file };
}

test('posts are put in order; empty places and notes are left out', () => {
  const found = postsOf([
    message({ id: 12 }),
    { _: 'messageEmpty', id: 11 },
    { _: 'messageService', id: 10, peerId: PEER, date: 1, action: { _: 'messageActionEmpty' } },
    message({ id: 9 }),
  ]);
  expect(found.map(({ id }) => id)).toEqual(['9', '12']);
});

test('times are in ms, and a hidden edit is none: only its reactions have changed', () => {
  const [plain] = postsOf([message({})]);
  expect(plain).toMatchObject({ date: 1_000_000, editedAt: null, author: null, groupId: null });
  expect(postsOf([message({ editDate: 2000 })])[0]!.editedAt).toBe(2_000_000);
  expect(postsOf([message({ editDate: 2000, editHide: true })])[0]!.editedAt).toBeNull();
});

test('a group is written in digits', () => {
  const [post] = postsOf([message({ groupedId: Long.fromString('-5') })]);
  expect(post!.groupId).toBe('18446744073709551611');
});

test('files are named by what they are', () => {
  const video = { _: 'documentAttributeVideo', duration: 1, w: 1, h: 1 } as const;
  const audio = { _: 'documentAttributeAudio', duration: 1 } as const;
  const named = { _: 'documentAttributeFilename', fileName: 'a.pdf' } as const;
  const kinds = [
    document(named),
    document(video),
    document({ ...video, roundMessage: true }),
    document({ _: 'documentAttributeAnimated' }, video),
    document(audio),
    document({ ...audio, voice: true }),
  ].map((each) => mediaOf(each)[0]!.kind);
  expect(kinds).toEqual(['document', 'video', 'video_note', 'animation', 'audio', 'voice']);
  expect(mediaOf(document(named))).toEqual([
    {
      kind: 'document',
      name: 'a.pdf',
      bytes: 5000,
      reference: expect.stringContaining('"document"'),
    },
  ]);
});

test('a photo has the bytes of its largest size, and a preview of a link is no media', () => {
  const photo = {
    _: 'photo',
    id: Long.ONE,
    accessHash: Long.ONE,
    fileReference: new Uint8Array(),
    date: 0,
    dcId: 2,
    sizes: [
      { _: 'photoSize', type: 's', w: 1, h: 1, size: 10 },
      { _: 'photoSizeProgressive', type: 'y', w: 1, h: 1, sizes: [20, 900] },
    ],
  } as const;
  const media = { _: 'messageMediaPhoto', photo } as unknown as tl.TypeMessageMedia;
  const reference = expect.stringContaining('"size":"y"');
  expect(mediaOf(media)).toEqual([{ kind: 'photo', name: null, bytes: 900, reference }]);
  const page = { _: 'webPageEmpty', id: Long.ONE } as const;
  expect(mediaOf({ _: 'messageMediaWebPage', webpage: page })).toEqual([]);
  const dice = { _: 'messageMediaDice', value: 3, emoticon: '🎲' } as const;
  expect(mediaOf(dice as tl.TypeMessageMedia)).toMatchObject([{ kind: 'dice', bytes: null }]);
});
