// Files of posts over MTProto: where one lies, as a text that can be kept for a while, and the call for a piece of it.

import { Long, type tl } from '@mtcute/core';
import type { MediaPiece, Read } from '../../../history.ts';

// The platform gives no more at once, and wants offsets that are multiples of it.
export const PIECE_BYTES = 524_288;

interface FileReference {
  readonly kind: 'photo' | 'document';
  readonly id: string;
  readonly access: string;
  // In base64.
  readonly file: string;
  // Of a photo, which size; '': the file itself.
  readonly size: string;
  readonly dc: number;
  readonly type: string;
}

export function photoReference(photo: tl.RawPhoto, size: string): string {
  return formatted({ kind: 'photo', ...placeOf(photo), size, type: 'image/jpeg' });
}

export function documentReference(document: tl.RawDocument): string {
  return formatted({ kind: 'document', ...placeOf(document), size: '', type: document.mimeType });
}

function placeOf({ id, accessHash, fileReference, dcId }: tl.RawPhoto | tl.RawDocument) {
  return {
    id: id.toString(),
    access: accessHash.toString(),
    file: Buffer.from(fileReference).toString('base64'),
    dc: dcId,
  };
}

function formatted(reference: FileReference): string {
  return JSON.stringify(reference);
}

export interface PieceCall {
  readonly request: tl.upload.RawGetFileRequest;
  // Where the file lies; another than the account's own is asked there.
  readonly dcId: number;
  readonly type: string;
}

export function pieceCall(reference: string, offset: number): PieceCall {
  const { kind, id, access, file, size, dc, type } = JSON.parse(reference) as FileReference;
  const location = {
    _:
      kind === 'photo'
        ? ('inputPhotoFileLocation' as const)
        : ('inputDocumentFileLocation' as const),
    id: Long.fromString(id),
    accessHash: Long.fromString(access),
    fileReference: Buffer.from(file, 'base64'),
    thumbSize: size,
  };
  const request = { _: 'upload.getFile' as const, location, offset, limit: PIECE_BYTES };
  return { request, dcId: dc, type };
}

export function pieceOf(answer: tl.upload.TypeFile, type: string): Read<MediaPiece> {
  // Of files that are in great demand: a third party has them, encrypted.
  if (answer._ !== 'upload.file') {
    return { kind: 'refused', reason: 'no_file', detail: 'the file lies elsewhere' };
  }
  const { bytes } = answer;
  const isLast = bytes.length < PIECE_BYTES;
  return { kind: 'read', value: { bytes, isLast, contentType: type } };
}
