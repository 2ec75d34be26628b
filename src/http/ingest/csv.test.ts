import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { CSV_HEAD, csvLine } from './csv.ts';

const POST = {
  ...{ source: '1', messageId: '7', date: '2030-01-01T00:00:00.000Z', text: 'rain' },
  ...{ author: null, groupId: null, media: [] as unknown, editedAt: null, deletedAt: null },
  ...{ storedAt: '2030-01-01T00:00:01.000Z', versions: 0 },
};

// As a spreadsheet has it.
function read(text: string): string {
  const [row] = parse(CSV_HEAD + csvLine({ ...POST, text }), { bom: true, columns: true }) as {
    text: string;
  }[];
  return row!.text;
}

test('a post is a line, empty where there is nothing', () => {
  expect(CSV_HEAD.split(',')).toHaveLength(11);
  expect(csvLine(POST)).toBe(
    '1,7,2030-01-01T00:00:00.000Z,,,,,rain,[],2030-01-01T00:00:01.000Z,0\r\n',
  );
});

test.each(['a "b", c', 'two\nlines', 'two\r\nlines', '"', ';', 'ends with a break\n', ''])(
  '%j is read back as it was',
  (text) => expect(read(text)).toBe(text),
);

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=cmd|"/c calc"!A1'])(
  '%j is a text to a spreadsheet, not a formula',
  (text) => expect(read(text)).toBe(`'${text}`),
);

test('an author is a stranger, too', () => {
  expect(csvLine({ ...POST, author: '=HYPERLINK("http://x")' as never })).toContain(
    `"'=HYPERLINK(""http://x"")"`,
  );
});
