// Files of posts: what their media say of where they lie, and pieces of them. What is in one follows from where it lies
// and the place of each byte.

import type { SimChannel, SimMedia, SimPost } from '../channel/channel.ts';
import { bytesIn, intOf, longOf, objectIn, RpcRefusal } from './fields.ts';
import type { TlObject } from './tl/tl.ts';

export const DC_ID = 2;
const POSTS_MAX = 1_000_000_000n;
const ALIGNED_BYTES = 4096n;
const PIECE_BYTES_MAX = 1_048_576;
const FILE_REFERENCE = Buffer.of(1, 2, 3, 4);
// A prime, so that no two pieces are alike.
const BYTE_VALUES = 251n;

export function placeOf(channel: SimChannel, post: SimPost) {
  const id = fileId(channel, post);
  return { id, access_hash: id * 7n, file_reference: FILE_REFERENCE, dc_id: DC_ID };
}

export function fileBytes(channel: SimChannel, post: SimPost, media: SimMedia): Buffer {
  return contentOf(fileId(channel, post), 0, media.bytes);
}

export function filePiece(channels: ReadonlyMap<bigint, SimChannel>, call: TlObject): TlObject {
  const location = objectIn(call, 'location');
  const id = longOf(location, 'id');
  const offset = longOf(call, 'offset');
  const limit = intOf(call, 'limit');
  if (offset % ALIGNED_BYTES !== 0n) throw new RpcRefusal(400, 'OFFSET_INVALID');
  if (limit <= 0 || limit > PIECE_BYTES_MAX || BigInt(limit) % ALIGNED_BYTES !== 0n) {
    throw new RpcRefusal(400, 'LIMIT_INVALID');
  }
  if (!bytesIn(location, 'file_reference').equals(FILE_REFERENCE)) {
    throw new RpcRefusal(400, 'FILE_REFERENCE_EXPIRED');
  }
  const media = channels.get(id / POSTS_MAX)?.get(Number(id % POSTS_MAX))?.media ?? null;
  if (media === null || longOf(location, 'access_hash') !== id * 7n) {
    throw new RpcRefusal(400, 'LOCATION_INVALID');
  }
  const from = Math.min(Number(offset), media.bytes);
  const bytes = contentOf(id, from, Math.min(from + limit, media.bytes));
  return { _: 'upload.file', type: { _: 'storage.fileUnknown' }, mtime: 0, bytes };
}

function fileId(channel: SimChannel, post: SimPost): bigint {
  return channel.id * POSTS_MAX + BigInt(post.id);
}

function contentOf(id: bigint, from: number, to: number): Buffer {
  const first = Number(id % BYTE_VALUES);
  const bytes = Buffer.alloc(to - from);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (first + from + i) % Number(BYTE_VALUES);
  return bytes;
}
