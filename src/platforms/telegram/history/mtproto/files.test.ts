import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileBytes } from '../../../../sim/mtproto/files.ts';
import type { SimChannel, SimMedia } from '../../../../sim/sim.ts';
import type { Channel, ChannelReader } from '../../../history.ts';
import { PHONE, type Simulated, simulated } from '../simulated.fixture.ts';
import { PIECE_BYTES } from './files.ts';

let world: Simulated;
let reader: ChannelReader;
let news: SimChannel;
let channel: Channel;

beforeAll(async () => {
  world = await simulated();
  reader = await world.reader();
  news = world.sim.model.addChannel({ id: 77n, name: 'pictures', title: 'Pictures' });
  const resolved = await reader.resolve('@pictures');
  if (resolved.kind !== 'read') throw new Error(resolved.kind);
  channel = resolved.value;
});
afterAll(() => world.close());

async function referenceOf(id: number): Promise<string> {
  const read = await reader.byId!(channel, [String(id)]);
  if (read.kind !== 'read') throw new Error(read.kind);
  return read.value[0]!.media[0]!.reference!;
}

test.each([
  ['photo', 1000],
  ['document', 2 * PIECE_BYTES + 5],
  ['video', PIECE_BYTES],
] as const)('a %s of %d bytes comes whole, in pieces', async (kind, bytes) => {
  const media: SimMedia = { kind, name: kind === 'photo' ? null : 'a.bin', bytes };
  const post = news.post({ text: '', media });
  const reference = await referenceOf(post.id);
  const pieces: Uint8Array[] = [];
  for (let offset = 0, isLast = false; !isLast; ) {
    const read = await reader.download!(reference, offset);
    if (read.kind !== 'read') throw new Error(JSON.stringify(read));
    pieces.push(read.value.bytes);
    offset += read.value.bytes.length;
    isLast = read.value.isLast;
  }
  expect(Buffer.concat(pieces).equals(fileBytes(news, post, media))).toBe(true);
});

test('a reference that is over, a post that is gone and a wait are values', async () => {
  const post = news.post({ text: '', media: { kind: 'photo', name: null, bytes: 10 } });
  const reference = await referenceOf(post.id);
  const old = JSON.stringify({ ...JSON.parse(reference), file: 'AAAA' });
  expect(await reader.download!(old, 0)).toMatchObject({
    ...{ kind: 'refused', detail: 'FILE_REFERENCE_EXPIRED' },
  });
  world.sim.model.freeze(PHONE, 'upload.getFile', 60);
  expect(await reader.download!(reference, 0)).toMatchObject({ kind: 'wait' });
});
