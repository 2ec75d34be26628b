import { expect, test } from 'vitest';
import type { MediaPiece, Read } from '../platforms/history.ts';
import { aPage, aPost, aService, KIND, PUSHED } from './ingest.fixture.ts';

const MEDIA = { kind: 'photo', name: 'a.jpg', bytes: 5, reference: 'first' };
const POST = aPost(7, { media: [MEDIA] });
const QUERY = { post: '7', index: 0, bytesMax: 100 };

const piece = (text: string, isLast: boolean): Read<MediaPiece> => ({
  kind: 'read',
  value: { bytes: Buffer.from(text), isLast, contentType: 'image/jpeg' },
});

async function setUp(download: (reference: string, offset: number) => Read<MediaPiece>) {
  const asked: [string, number][] = [];
  const at = aService({
    answers: {
      history: () => aPage([POST]),
      byId: () => ({ kind: 'read', value: [{ ...POST, media: [{ ...MEDIA, reference: 'new' }] }] }),
      download(reference, offset) {
        asked.push([reference, offset]);
        return download(reference, offset);
      },
    },
  });
  await at.service.start();
  const { id } = (await at.service.add(KIND, '@news')).source;
  await at.run(1_000);
  return { ...at, id, asked };
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const each of pieces) all.push(each);
  return Buffer.concat(all).toString();
}

test('comes piece by piece, with a reference that was read anew', async () => {
  const { service, id, asked } = await setUp((_, offset) =>
    offset === 0 ? piece('abc', false) : piece('de', true),
  );
  const opened = await service.media(id, QUERY);
  if (opened.kind !== 'file') throw new Error(opened.kind);
  expect(opened).toMatchObject({ contentType: 'image/jpeg', name: 'a.jpg' });
  expect(await textOf(opened.pieces)).toBe('abcde');
  expect(asked).toEqual([
    ['new', 0],
    ['new', 3],
  ]);
});

test('a wait is kept, and nothing is asked before its time', async () => {
  const { service, id, asked, clock } = await setUp(() => ({ kind: 'wait', waitMs: 10_000 }));
  expect(await service.media(id, QUERY)).toMatchObject({ kind: 'wait', method: 'download' });
  const again = await service.media(id, QUERY);
  expect(again).toMatchObject({ kind: 'wait' });
  expect(asked).toHaveLength(1);
  expect(service.waits()).toMatchObject([{ method: 'download' }]);
  await clock.run(clock.now() + 14_000);
  await service.media(id, QUERY);
  expect(asked).toHaveLength(2);
});

test('no more comes than may, whatever the platform sends', async () => {
  const { service, id } = await setUp(() => piece('x'.repeat(60), false));
  expect(await service.media(id, { ...QUERY, bytesMax: 4 })).toEqual({ kind: 'too_large' });
  expect(await service.media(id, { ...QUERY, bytesMax: 50 })).toEqual({ kind: 'too_large' });
  const opened = await service.media(id, QUERY);
  if (opened.kind !== 'file') throw new Error(opened.kind);
  await expect(textOf(opened.pieces)).rejects.toThrow('more than 100 bytes');
});

test('an end that never comes is one, and a rest that fails is an error of the stream', async () => {
  const { service, id } = await setUp((_, offset) =>
    offset === 0 ? piece('abc', false) : piece('', false),
  );
  const opened = await service.media(id, QUERY);
  expect(opened.kind === 'file' && (await textOf(opened.pieces))).toBe('abc');
  const broken = await setUp((_, offset) =>
    offset === 0 ? piece('abc', false) : { kind: 'refused', reason: 'x', detail: 'x' },
  );
  const cut = await broken.service.media(broken.id, QUERY);
  if (cut.kind !== 'file') throw new Error(cut.kind);
  await expect(textOf(cut.pieces)).rejects.toThrow('did not come');
});

test('what is not there is said: source, post, medium, a reader that has none', async () => {
  const { service, id, answers } = await setUp(() => piece('abc', true));
  expect(await service.media(99, QUERY)).toEqual({ kind: 'unknown' });
  expect(await service.media(id, { ...QUERY, post: '8' })).toEqual({ kind: 'unknown' });
  expect(await service.media(id, { ...QUERY, index: 1 })).toEqual({ kind: 'unknown' });
  answers.byId = () => ({ kind: 'read', value: [] });
  expect(await service.media(id, QUERY)).toMatchObject({ kind: 'refused', reason: 'no_file' });
  const pushed = (await service.add(PUSHED, '@own')).source.id;
  const channel = { id: '@own', name: '@own' };
  await service.push('a', { channel, post: POST });
  expect(await service.media(pushed, QUERY)).toMatchObject({ kind: 'refused' });
});
