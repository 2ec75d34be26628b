// The simulated platform's files: each path has its own small content, whole or a range of it.

import type { SimAnswer } from '../model.ts';

const FILE_BYTES = 1024;
const RANGE = /^bytes=(\d{1,9})-(\d{0,9})$/;

export function fileOf(path: string, range: string | undefined): SimAnswer {
  const content = `simulated file ${encodeURI(path)}\n`
    .padEnd(FILE_BYTES, '.')
    .slice(0, FILE_BYTES);
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    etag: `"${path.length}-${FILE_BYTES}"`,
  };
  const asked = RANGE.exec(range ?? '');
  if (asked === null) return { status: 200, headers, body: content };
  const from = Number(asked[1]);
  const to = Math.min(asked[2] === '' ? FILE_BYTES - 1 : Number(asked[2]), FILE_BYTES - 1);
  if (from > to) return { status: 416, headers, body: '' };
  const part = { ...headers, 'content-range': `bytes ${from}-${to}/${FILE_BYTES}` };
  return { status: 206, headers: part, body: content.slice(from, to + 1) };
}
