import { describe, expect, test } from 'vitest';
import { Screen, type Size, type WatchedMessage } from './screen.ts';

const AT = '2030-03-17T17:46:40.000Z';
const TIME = new Date(AT).toTimeString().slice(0, 8);

function message(id: string, text: string, thread: string | null = null): WatchedMessage {
  return { id, thread, text, at: AT };
}

const ESC = '\u001b';
const WRITTEN = new RegExp(`${ESC}\\[(\\d+)A|(${ESC}\\[(?:J|\\?7[lh])|\r\n)|([^${ESC}\r]+)`, 'g');

// A terminal that understands what the screen writes: rows that scroll off the top can no longer be changed.
class FakeTerminal {
  readonly size: Size;
  rows: string[] = [''];
  #row = 0;

  constructor(size: Size) {
    this.size = size;
  }

  write(text: string): void {
    for (const [, up, control, plain] of text.matchAll(WRITTEN)) {
      if (up !== undefined) this.#up(Number(up));
      else if (control === '\r\n') this.#down();
      else if (control === `${ESC}[J`) this.rows = [...this.rows.slice(0, this.#row), ''];
      else if (plain !== undefined) this.rows[this.#row] += plain;
    }
  }

  get text(): string[] {
    return this.rows.slice(0, -1).map((row) => row.slice(TIME.length + 1));
  }

  #up(count: number): void {
    expect(count).toBeLessThan(this.size.rows);
    this.#row -= count;
  }

  #down(): void {
    this.#row += 1;
    this.rows[this.#row] ??= '';
  }
}

function setUp(size: Size = { columns: 40, rows: 6 }) {
  const terminal = new FakeTerminal(size);
  const now = { size };
  const screen = new Screen(() => now.size);
  const show = (text: string) => terminal.write(text);
  return { terminal, screen, show, now };
}

describe('on a terminal', () => {
  test('messages follow each other, an edit is drawn in its place', () => {
    const { terminal, screen, show } = setUp();
    show(screen.message(message('1', 'one')));
    show(screen.message(message('2', 'two\nlines', 'topic')));
    show(screen.message(message('3', 'three')));
    show(screen.edited(message('1', 'ONE')));
    expect(terminal.text).toEqual(['ONE', '[topic] two', 'lines', 'three']);
    show(screen.edited(message('2', '2')));
    expect(terminal.text).toEqual(['ONE', '2', 'three']);
    show(screen.deleted('2', AT));
    expect(terminal.text).toEqual(['ONE', 'three']);
  });

  test('a growing text is drawn on from where it changes, also when it is taller than the screen', () => {
    const { terminal, screen, show } = setUp();
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    show(screen.message(message('1', lines[0]!)));
    for (let n = 2; n <= lines.length; n++) {
      show(screen.edited(message('1', lines.slice(0, n).join('\n'))));
    }
    expect(terminal.text).toEqual(lines);
  });

  test('an edit of what has scrolled off is a message of its own', () => {
    const { terminal, screen, show } = setUp();
    for (let n = 1; n <= 8; n++) show(screen.message(message(String(n), String(n))));
    show(screen.edited(message('2', 'two')));
    show(screen.deleted('1', AT));
    expect(terminal.text.slice(-2)).toEqual(['(edited) two', '(a message was taken back)']);
    show(screen.edited(message('2', 'TWO')));
    expect(terminal.text.slice(-2)).toEqual(['TWO', '(a message was taken back)']);
  });

  test('long lines are cut to the width, wide characters counted twice', () => {
    const { terminal, screen, show } = setUp({ columns: 9 + 12, rows: 9 });
    show(screen.message(message('1', 'abcdefghijklmnop')));
    show(screen.message(message('2', '日本語日本語日本')));
    expect(terminal.text).toEqual(['abcdefghijkl', 'mnop', '日本語日本語', '日本']);
  });

  test('after a change of the width nothing is drawn over', () => {
    const { terminal, screen, show, now } = setUp();
    show(screen.message(message('1', 'one')));
    now.size = { columns: 50, rows: 6 };
    show(screen.edited(message('1', 'ONE')));
    expect(terminal.text).toEqual(['one', '(edited) ONE']);
  });

  test('nothing a message or its thread says reaches the terminal as a command', () => {
    const { screen } = setUp();
    const hostile = '\u001b[2J\u001b]0;owned\u0007\u009b5A\rX';
    const written = [
      screen.message(message('1', hostile, hostile)),
      screen.edited(message('1', `${hostile}!`, hostile)),
    ].join('');
    const ours = new RegExp(`${ESC}\\[(\\d+A|J|\\?7[lh])|\r\n`, 'g');
    expect(written.replace(ours, '')).not.toMatch(/\p{Cc}/u);
    expect(written).toContain('␛[2J');
  });

  test('what is told again after the line was lost is shown once', () => {
    const { terminal, screen, show } = setUp();
    show(screen.message(message('1', 'one')));
    show(screen.message(message('1', 'one')));
    show(screen.message(message('1', 'changed meanwhile')));
    expect(terminal.text).toEqual(['changed meanwhile']);
  });
});

test('in a file or a pipe every change is a line', () => {
  const screen = new Screen(() => null);
  const long = 'x'.repeat(500);
  const told = [
    screen.message(message('1', 'one\ntwo')),
    screen.edited(message('1', long)),
    screen.deleted('1', AT),
  ];
  const indent = ' '.repeat(TIME.length + 1);
  expect(told.join('')).toBe(
    `${TIME} one\n${indent}two\n${TIME} (edited) ${long}\n${TIME} (a message was taken back)\n`,
  );
});
