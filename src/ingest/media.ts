// The file of a post's medium, on demand: by the account that reads the source, under its lease, within its waits, a
// piece at a time. Nothing of it is kept.

import { idMinus } from '../domain/decimal-id.ts';
import type { Channel, ChannelReader, MediaPiece, ReadPost } from '../platforms/history.ts';
import type { IngestStore, StoredPost } from '../store/ports/ingest.ts';
import { type Called, type CallParts, type CallTrouble, ReaderCalls } from './calls.ts';
import type { ReaderConnections } from './readers.ts';
import type { Tracked } from './tracked.ts';

export interface MediaParts extends CallParts {
  readonly store: IngestStore;
  readonly readers: ReaderConnections;
}

export interface MediaQuery {
  readonly post: string;
  // Among the post's media.
  readonly index: number;
  readonly bytesMax: number;
}

export type OpenedMedia =
  | {
      readonly kind: 'file';
      readonly contentType: string | null;
      // As whoever posted it calls it; null: it has no name.
      readonly name: string | null;
      // Ends with a throw where the rest cannot be had.
      readonly pieces: AsyncGenerator<Uint8Array>;
    }
  // There is no such source, post or medium.
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too_large' }
  // Another node reads the source, and can give it.
  | { readonly kind: 'elsewhere' }
  | CallTrouble;

interface StoredMedia {
  readonly name: string | null;
  readonly bytes: number | null;
}

// The first piece is there when it resolves: what goes wrong until then is a value.
export async function openMedia(
  parts: MediaParts,
  { source, settings, isPushed }: Tracked,
  { post: id, index, bytesMax }: MediaQuery,
): Promise<OpenedMedia> {
  const { store, readers } = parts;
  const post = await store.post({ source: source.id, id });
  const shown = post === null ? undefined : mediaOf(post)[index];
  if (shown === undefined) return { kind: 'unknown' };
  if ((shown.bytes ?? 0) > bytesMax) return { kind: 'too_large' };
  if (isPushed) return none('its posts come by themselves: there is nobody to ask');
  const { readerKind, name } = source;
  const picked = await readers.pick({ id: source.id, readerKind, account: settings.account });
  if (picked.kind !== 'open') {
    const isElsewhere = picked.kind === 'busy' || picked.reason === 'elsewhere';
    return isElsewhere ? { kind: 'elsewhere' } : none(picked.detail);
  }
  const { key, epoch, reader } = picked.open;
  const known = await store.channel({ reader: key, name });
  const { download } = reader;
  if (download === undefined || known === null) return none('its reader gives no files');
  const caller = new ReaderCalls(parts, picked.open, () => readers.isHeld(key, epoch));
  const read = await readAgain(caller, reader, JSON.parse(known) as Channel, id);
  if (read.kind !== 'read') return read;
  const reference = read.value?.media[index]?.reference ?? null;
  if (reference === null) return none('the channel does not have it any more');
  const piece = (offset: number) =>
    caller.call('download', () => download.call(reader, reference, offset));
  const first = await piece(0);
  if (first.kind !== 'read') return first;
  if (first.value.bytes.length > bytesMax) return { kind: 'too_large' };
  const pieces = piecesOf(first.value, piece, bytesMax);
  return { kind: 'file', contentType: first.value.contentType, name: shown.name, pieces };
}

// What a reference means is over within hours, so the post is read for a new one.
async function readAgain(
  caller: ReaderCalls,
  reader: ChannelReader,
  channel: Channel,
  id: string,
): Promise<Called<ReadPost | undefined>> {
  const { byId } = reader;
  const read =
    byId === undefined
      ? await caller.call('history', async () => {
          const page = await reader.history(channel, idMinus(id, 1), 1);
          return page.kind === 'read' ? { kind: 'read', value: page.value.posts } : page;
        })
      : await caller.call('by_id', () => byId.call(reader, channel, [id]));
  if (read.kind !== 'read') return read;
  return { kind: 'read', value: read.value.find((post) => post.id === id) };
}

async function* piecesOf(
  first: MediaPiece,
  piece: (offset: number) => Promise<Called<MediaPiece>>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let { bytes, isLast } = first;
  for (let sent = 0; ; ) {
    sent += bytes.length;
    if (sent > bytesMax) throw new Error(`the file has more than ${bytesMax} bytes`);
    yield bytes;
    if (isLast) return;
    const next = await piece(sent);
    if (next.kind !== 'read') throw new Error(`the rest of the file did not come: ${next.kind}`);
    // Else it would be asked for ever.
    if (next.value.bytes.length === 0) return;
    ({ bytes, isLast } = next.value);
  }
}

function mediaOf({ media }: StoredPost): readonly StoredMedia[] {
  return JSON.parse(media) as readonly StoredMedia[];
}

function none(detail: string): CallTrouble {
  return { kind: 'refused', reason: 'no_file', detail };
}
