import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListFormat, listFormatOf } from '../../domain/recipient-list.ts';
import { readRecipients } from './recipients.ts';

async function read(format: ListFormat, text: string | Buffer, cut = 1 << 20) {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += cut)
    chunks.push(bytes.subarray(from, from + cut));
  const members: unknown[] = [];
  const bad: unknown[] = [];
  for await (const piece of readRecipients(Readable.from(chunks), format)) {
    members.push(...piece.members);
    bad.push(...piece.bad);
  }
  return { members, bad };
}

const chats = async (format: ListFormat, text: string) =>
  (await read(format, text)).members.map((member) => (member as { chat: string }).chat);

describe('CSV', () => {
  test('has a header; the other columns are fields', async () => {
    const text = '\uFEFFName,chat_id,Town\r\nAda,42,London\r\n\r\n"Grace ""G"" Hopper", -100 ,\n';
    expect(await read('csv', text)).toEqual({
      members: [
        { chat: '42', fields: { Name: 'Ada', Town: 'London' } },
        { chat: '-100', fields: { Name: 'Grace "G" Hopper', Town: '' } },
      ],
      bad: [],
    });
  });

  test('may be cut at semicolons or tabs, and quoted over lines', async () => {
    expect(await read('csv', 'chat;name\n1;"a;b\nc"\n2;d')).toMatchObject({
      members: [
        { chat: '1', fields: { name: 'a;b\nc' } },
        { chat: '2', fields: { name: 'd' } },
      ],
    });
    expect(await chats('csv', 'chat\tname\n1\tx')).toEqual(['1']);
    expect(await chats('csv', 'chat\n1\n2')).toEqual(['1', '2']);
  });

  test('tells where it is wrong', async () => {
    const text = 'chat,name\n1,a\n,b\n3,c,d\n1.2E+09,e\n"x\ny",f\n4,g\n';
    const { members, bad } = await read('csv', text);
    expect(members).toHaveLength(2);
    expect(bad).toMatchObject([{ line: 3 }, { line: 4 }, { line: 5 }, { line: 6 }]);
    expect(await read('csv', '1\n2\n')).toMatchObject({ members: [], bad: [{ line: 1 }] });
  });

  test('reads the same however it is cut', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'ü', '🙂', ' ') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (cells, cut) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const rows = cells.map((text, i) => `${i + 1},${quoted(text)}`);
          const text = ['chat,name', ...rows].join('\n');
          const { members, bad } = await read('csv', text, cut);
          expect(bad).toEqual([]);
          expect(members).toEqual(
            cells.map((name, i) => ({ chat: String(i + 1), fields: { name } })),
          );
        },
      ),
    );
  });
});

test('records of CSV are the same read together and each alone', async () => {
  const unit = fc.constantFrom('a', '""', ',', ' ', "'");
  const quoted = fc.string({ unit, maxLength: 6 }).map((text) => `"${text}"`);
  const plain = fc
    .string({ unit: fc.constantFrom('a', '"', ' '), maxLength: 4 })
    .map((s) => `b${s}`);
  const record = fc.tuple(fc.nat(), fc.array(fc.oneof(quoted, plain), { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 300, maxLength: 900 }), async (records) => {
      const lines = records.map(([chat, cells]) => [chat, ...cells].join(','));
      const together = await read('csv', ['chat,one,two', ...lines].join('\n'));
      const alone = await Promise.all(lines.map((line) => read('csv', `chat,one,two\n${line}`)));
      expect(together.members).toEqual(alone.flatMap(({ members }) => members));
      expect(together.bad).toHaveLength(alone.flatMap(({ bad }) => bad).length);
      expect(together.members.length).toBeGreaterThan(100);
    }),
    { numRuns: 20 },
  );
});

describe('CSV that is badly quoted', () => {
  const HEAD = 'chat,name\n';

  test('a quote within a cell is a character', async () => {
    const text = `${HEAD}1,5" pipe\n2,a "b" c\n3,d\n4,6"\n`;
    const { members, bad } = await read('csv', text);
    expect(members).toMatchObject([
      { chat: '1', fields: { name: '5" pipe' } },
      { chat: '2', fields: { name: 'a "b" c' } },
      { chat: '3' },
      { chat: '4', fields: { name: '6"' } },
    ]);
    expect(bad).toEqual([]);
  });

  test.each([
    ['never closed', '1,"a\n2,b\n3,c\n', ['2', '3'], [2]],
    ['closed by a later line', '1,"a\n2,b\n3,c"\n4,d\n', ['2', '3', '4'], [2]],
    ['closed by the next line', '1,"a\n2,b"\n3,c\n', ['2', '3'], [2]],
    ['followed by a quoted one', '1,"a\n2,"b"\n3,c\n', ['2', '3'], [2]],
    ['followed by an escaped one', '1,"a\n2,""\n3,c\n', ['2', '3'], [2]],
    ['on the last line', '1,a\n2,"b', ['1'], [3]],
    ['on every line', '1,"a\n2,"b\n3,"c\n', [], [2, 3, 4]],
    ['with something after it', '1,"a"b\n2,c\n', ['2'], [2]],
    ['before a line of text', '1,"a\nb c\n2,c\n', ['2'], [2, 3]],
    ['of names', 'ann,"a\nbob,b\neve,c"\n', ['bob', 'eve'], [2]],
    ['before a line that is too long', `1,"a\n${'x'.repeat(70_000)}\n2,b\n`, ['2'], [2, 3]],
    ['with a cell too many', '1,2,5" pipe\n2,b\n', ['2'], [2]],
  ])('a quote %s costs its own line', async (_, rows, chats, lines) => {
    const { members, bad } = await read('csv', HEAD + rows);
    expect(members.map((member) => (member as { chat: string }).chat)).toEqual(chats);
    expect(bad.map((each) => (each as { line: number }).line)).toEqual(lines);
  });

  test('every line is a recipient or is told, however it is quoted and cut', async () => {
    const junk = fc.string({
      unit: fc.constantFrom('a', '"', '""', ',', ' ', '","', '"a"'),
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(junk, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        async (cells, end, cut) => {
          const text = ['chat,name', ...cells.map((cell, i) => `${i + 1},${cell}`)].join(end);
          const { members, bad } = await read('csv', text, cut);
          const told = [
            ...members.map((member) => Number((member as { chat: string }).chat)),
            ...bad.map((each) => (each as { line: number }).line - 1),
          ];
          expect(told.sort((a, b) => a - b)).toEqual(cells.map((_, i) => i + 1));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a header with a name twice, without a chat or too wide is told', async () => {
    for (const head of ['chat,a,a', 'name,town', 'chat,"a', `chat,${'x'.repeat(300)}`]) {
      expect(await read('csv', `${head}\n1,2,3\n`)).toMatchObject({
        members: [],
        bad: [{ line: 1 }],
      });
    }
  });
});

test('lists are read in UTF-16 and with every end of line', async () => {
  const rows = 'chat;name\r1;ä\r\n2;b\n3;c';
  const big = Buffer.from(`\ufeff${rows}`, 'utf16le').swap16();
  const little = [Buffer.from(`\ufeff${rows}`, 'utf16le'), Buffer.from(rows, 'utf16le')];
  for (const bytes of [big, ...little, Buffer.from(rows), Buffer.from(`\ufeff${rows}`)]) {
    for (const cut of [1, 3, 1000]) {
      const { members, bad } = await read('csv', bytes, cut);
      expect(bad).toEqual([]);
      expect(members).toMatchObject([
        { chat: '1', fields: { name: 'ä' } },
        { chat: '2' },
        { chat: '3' },
      ]);
    }
  }
  const broken = Buffer.from([0x31, 0x0a, 0xc3]);
  expect((await read('text', broken)).bad).toHaveLength(1);
});

describe('lines', () => {
  test('of JSON: an object with a chat, or a chat alone', async () => {
    const text = '{"chat":1,"name":"Ada","age":36}\n"@Name"\n7\n{"chat":2,"fields":{"a":true}}\n\n';
    expect((await read('ndjson', text)).members).toEqual([
      { chat: '1', fields: { name: 'Ada', age: '36' } },
      { chat: '@name', fields: {} },
      { chat: '7', fields: {} },
      { chat: '2', fields: { a: 'true' } },
    ]);
    const wrong = await read('ndjson', '{"chat":1\n{"name":"x"}\n{"chat":1,"a":{}}\n[1]');
    expect(wrong.bad).toHaveLength(4);
  });

  test('of text: one chat each', async () => {
    expect(await chats('text', '1\r\n -0100\n\n@Channel\n+007\n')).toEqual([
      '1',
      '-100',
      '@channel',
      '7',
    ]);
    expect(await read('text', 'two words\nok')).toMatchObject({ bad: [{ line: 1 }] });
  });

  test('are bounded, and must be text', async () => {
    const long = 'x'.repeat(70_000);
    expect((await read('text', `1\n${long}\n2`, 1000)).bad).toMatchObject([{ line: 2 }]);
    expect((await read('text', `1\n${long}`)).bad).toMatchObject([{ line: 2 }]);
    const bad = await read('text', Buffer.from([0x31, 0x0a, 0xff, 0xfe, 0x0a]));
    expect(bad.bad).toMatchObject([{ expected: 'text encoded as UTF-8 or UTF-16' }]);
  });
});

test('the format is told by the type, else by the name', () => {
  expect(listFormatOf('text/csv; charset=utf-8', undefined)).toBe('csv');
  expect(listFormatOf('application/octet-stream', 'a.JSONL')).toBe('ndjson');
  expect(listFormatOf(undefined, 'a.txt')).toBe('text');
  expect(listFormatOf('image/png', 'a.png')).toBeNull();
});
