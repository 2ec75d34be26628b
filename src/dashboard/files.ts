// The page's files in memory, each with its compressed twin: there are few, and they never change while we run.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

// By path within the page's folder, with slashes.
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export async function readFiles(dir: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const path of await readdir(dir, { recursive: true })) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const plain = await readFile(join(dir, path));
    const zipped = await promisify(gzip)(plain, { level: 9 });
    files.set(path.replaceAll('\\', '/'), { type, plain, zipped });
  }
  return files;
}

export function contentOf(
  { plain, zipped }: PageFile,
  accepted: string,
): { body: Buffer; encoding: 'gzip' | null } {
  const mayZip = /\bgzip\b/.test(accepted) && zipped.length < plain.length;
  return mayZip ? { body: zipped, encoding: 'gzip' } : { body: plain, encoding: null };
}
