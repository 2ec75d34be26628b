import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Spool } from '../spool/spool.ts';
import { type FormBounds, readForm } from './multipart.ts';

const BOT = { account: 'telegram:1', address: '', isStranger: false };
const TYPE = { 'content-type': 'multipart/form-data; boundary=b' };
const BOUNDS: FormBounds = { fieldBytesMax: 1000, fileBytesMax: 5000 };

let dir: string;
let spool: Spool;
beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'sluice-form-')), 'spool');
  spool = await Spool.open({ dir, bytesMax: 10_000 });
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, content: string, fileName = 'a.png') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n` +
  `Content-Type: image/png\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';

// In pieces, so that nothing relies on how the network cuts it.
const bytes = (text: string, step = 7) =>
  Readable.from(
    Array.from({ length: Math.ceil(text.length / step) }, (_, i) =>
      Buffer.from(text.slice(i * step, (i + 1) * step)),
    ),
    { objectMode: false },
  );
const read = (text: string, bounds = BOUNDS, headers: Record<string, string> = TYPE) =>
  readForm(bytes(text), headers, spool, bounds, BOT);

describe('a form', () => {
  test('has fields and files; equal files share the disk', async () => {
    const form = await read(
      field('chat_id', '42') + file('photo', 'PIXELS') + file('again', 'PIXELS', 'b.png') + END,
    );
    expect(form).toMatchObject({
      kind: 'read',
      fields: { chat_id: '42' },
      files: {
        photo: { name: 'a.png', type: 'image/png', size: 6 },
        again: { name: 'b.png', size: 6 },
      },
    });
    if (form.kind !== 'read') return;
    expect(form.files.photo!.id).toBe(form.files.again!.id);
    expect(readdirSync(dir)).toEqual([form.files.photo!.id]);
    expect(readFileSync(join(dir, form.files.photo!.id), 'utf8')).toBe('PIXELS');
    expect(spool.bytes).toBe(6);
  });

  test('without files touches no disk, and the first of a name counts', async () => {
    const form = await read(field('a', '1') + field('a', '2') + field('b', 'ü') + END);
    expect(form).toEqual({ kind: 'read', fields: { a: '1', b: 'ü' }, files: {} });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('leaves nothing behind', () => {
  const whole = field('chat_id', '42') + file('photo', 'x'.repeat(3000));
  test.each([
    ['cut off in a file', whole.slice(0, -900), BOUNDS, 'broken'],
    ['cut off after a file', whole, BOUNDS, 'broken'],
    ['cut off in a head', `${whole}--b\r\nContent-Dispo`, BOUNDS, 'broken'],
    [
      'no name',
      `--b\r\nContent-Disposition: form-data; name=""\r\n\r\nx\r\n${END}`,
      BOUNDS,
      'broken',
    ],
    ['large files', whole + END, { ...BOUNDS, fileBytesMax: 1000 }, 'too_large'],
    ['large fields', field('a', 'x'.repeat(2000)) + END, BOUNDS, 'too_large'],
    [
      'many files',
      `${Array.from({ length: 51 }, (_, i) => file(`f${i}`, 'x')).join('')}${END}`,
      { fieldBytesMax: 10_000, fileBytesMax: 10_000 },
      'too_large',
    ],
    [
      'no room',
      `${file('a', '1'.repeat(4000)) + file('b', '2'.repeat(4000)) + file('c', '3'.repeat(4000))}${END}`,
      { ...BOUNDS, fileBytesMax: 20_000 },
      'full',
    ],
  ] as const)('%s', async (_name, text, bounds, kind) => {
    expect((await read(text, bounds)).kind).toBe(kind);
    expect(readdirSync(dir)).toEqual([]);
    expect(spool.bytes).toBe(0);
  });

  test('no boundary, and a length that is too large from the start', async () => {
    const none = { 'content-type': 'multipart/form-data' };
    expect((await read(whole, BOUNDS, none)).kind).toBe('broken');
    const long = { ...TYPE, 'content-length': '7000' };
    expect((await read(whole, BOUNDS, long)).kind).toBe('too_large');
  });

  test('a sender who hangs up in the middle', async () => {
    const source = bytes(whole, 500);
    let seen = 0;
    const cut = new Readable({ read() {} });
    source.on('data', (chunk) => {
      if (++seen < 4) cut.push(chunk);
      else if (seen === 4) cut.destroy(new Error('aborted'));
    });
    expect((await readForm(cut, TYPE, spool, BOUNDS, BOT)).kind).toBe('broken');
    expect(existsSync(dir) && readdirSync(dir)).toEqual([]);
  });
});
