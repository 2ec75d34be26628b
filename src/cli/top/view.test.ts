import { expect, describe as group, test } from 'vitest';
import { paintFor } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { firstChoice } from './keys.ts';
import { account, letter, overview, snapshot } from './top.fixture.ts';
import { describe, draw, type Picture } from './view.ts';

const NARROW = { columns: 80, rows: 24 };

function drawn(more: Partial<Picture> = {}): string[] {
  const plain = { paint: paintFor(false), trouble: null, size: NARROW };
  return draw({ snapshot: snapshot(), choice: firstChoice(), ...plain, ...more });
}

group('on a terminal', () => {
  test.each([
    [20, 6],
    [80, 24],
    [200, 60],
  ])('%s x %s is filled exactly, with the keys in the last line', (columns, rows) => {
    const lines = drawn({ size: { columns, rows } });
    expect(lines).toHaveLength(rows);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines.at(-1)).toMatch(/^q quit/);
  });

  test('the head says how it stands', () => {
    expect(drawn().slice(0, 4)).toEqual([
      'sluice at http://127.0.0.1:8080 is well, up 2 h, 3 accounts',
      'per second: in 10.0  sent 15.0  429 0.0  failed 0.0  ▄█',
      'waiting 1,234: critical 0  high 1  normal 1,233  low 0  (4 until later)',
      'oldest wait 42 s  in flight 3  frozen 1  dead 12  uncertain 0  1 stream',
    ]);
  });

  test('what needs a person stands in the head, the worst first', () => {
    const of = { severity: 'critical', remedy: 'Free space.' };
    const incidents = [
      { ...of, summary: 'The disk is full: nothing is accepted, nothing is sent.' },
      { ...of, severity: 'warning', summary: 'telegram:2 is paused by an operator.' },
    ];
    const shown = { ...snapshot(), overview: { ...overview(), incidents } };
    const lines = describe(shown, firstChoice()).split('\n');
    expect(lines[0]).toContain('needs help, 1 critical and 1 warning; the process itself works');
    expect(lines[4]).toBe(
      'CRITICAL The disk is full: nothing is accepted, nothing is sent. Free space.',
    );
    expect(lines.join('\n')).not.toContain('telegram:2 is paused');
  });

  test('every table has a place at 80 x 24, and says what is left out', () => {
    const text = drawn().join('\n');
    expect(text).toMatch(/telegram:2 +7 +0 +.* paused by an operator/);
    expect(text).toMatch(/telegram:1 +1,234 +3 +30\/30 a s +1 frozen/);
    expect(text).toMatch(/abcde-1 +42 s +telegram:1 +-100 +chat -100 is frozen/);
    expect(text).toMatch(/chat -100 +telegram:1 +60 s +retry after 60 s/);
    expect(text).toMatch(/s-1 +telegram:1 +-100 +700\/900 +3\.8 s/);
    expect(text).toMatch(/news +running +50 % +29\.5\/s +90 s +48 of 100 sent, 2 dead/);
    expect(text).toMatch(
      /DEAD LETTERS 1\/12[\s\S]*abcde-9 +30 s ago +78 +Forbidden \(bot_blocked\)/,
    );
  });

  test('a wide one has all columns', () => {
    const text = drawn({ size: { columns: 160, rows: 50 } }).join('\n');
    expect(text).toMatch(/WAITS LONGEST +FOR +ACCOUNT +CHAT +CLASS +BEHIND +WHY/);
    expect(text).toMatch(/telegram:1 .* 30\/30 a s +80 % +1 frozen/);
    expect(text).toMatch(/abcde-1 .* normal +\+9 +chat -100/);
  });

  test('sorted by trouble, by what waits, by name', () => {
    const order = (sort: 'trouble' | 'waiting' | 'name') =>
      drawn({ choice: { ...firstChoice(), sort, only: 'accounts' } })
        .filter((line) => line.startsWith('telegram:'))
        .map((line) => line.slice(0, 10));
    expect(order('trouble')).toEqual(['telegram:2', 'telegram:1', 'telegram:3']);
    expect(order('waiting')).toEqual(['telegram:3', 'telegram:1', 'telegram:2']);
    expect(order('name')).toEqual(['telegram:1', 'telegram:2', 'telegram:3']);
  });

  test('a filter leaves out the rows that do not hold it', () => {
    const text = drawn({ choice: { ...firstChoice(), filter: 'TELEGRAM:2' } }).join('\n');
    expect(text).toContain('paused');
    expect(text).toContain('news');
    expect(text).not.toContain('telegram:3');
    const none = drawn({ choice: { ...firstChoice(), filter: 'nobody' } }).join('\n');
    expect(none).toContain('nothing to show');
  });

  test('ten thousand accounts are as tall as the screen', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => account(`telegram:${n}`, {}));
    const lines = drawn({ snapshot: snapshot({ accounts: many }) });
    expect(lines).toHaveLength(NARROW.rows);
    expect(lines.join('\n')).toMatch(/ACCOUNTS \d+\/10,000/);
  });

  test('why it is old stands below the head', () => {
    expect(drawn({ trouble: 'no gateway answers' })[4]).toBe('no gateway answers');
  });

  test('nothing that a platform said reaches the terminal as a command', () => {
    const hostile = '\u001b[2J\u009b5A\r\n\u0007\u202eX';
    const dead = [letter({ detail: hostile, chat: hostile })];
    const picture = { snapshot: snapshot({ dead }), trouble: hostile };
    expect(drawn(picture).join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(describe(picture.snapshot, firstChoice())).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  test('colours only where they are wanted', () => {
    const coloured = drawn({ paint: paintFor(true) });
    expect(coloured.join('\n')).toContain('\u001b[31m');
    const sgr = /\p{Cc}\[\d+m/gu;
    expect(coloured.map((line) => line.replace(sgr, ''))).toEqual(drawn());
  });
});

test('in a file or a pipe: all of it, nothing cut', () => {
  const why = 'x'.repeat(500);
  const text = describe(snapshot({ dead: [letter({ detail: why })] }), firstChoice());
  expect(text).toContain(why);
  expect(text).toContain('WAITS LONGEST');
  expect(text).not.toContain('q quit');
});
