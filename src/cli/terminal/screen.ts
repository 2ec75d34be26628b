// Messages as they come, for a person's eyes: what to write so that the terminal shows them. On a terminal an edit is
// drawn where its message stands, as far as that is still on the screen; elsewhere every change is a line of its own.
// Lines are cut to the width here and the terminal's own wrapping is off while they are written, so that the number of
// rows is known however wide it thinks a character is.

import { harmless } from './harmless.ts';
import { rowsOf } from './width.ts';

export interface WatchedMessage {
  readonly id: string;
  readonly thread: string | null;
  readonly text: string;
  readonly at: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface Drawn {
  readonly id: string;
  readonly lines: readonly string[];
}

// As many are recognised when they are told again after the line was lost.
const KNOWN_MAX = 1000;
// Of rows that belong to no message any more.
const NOBODY = '';
const COLUMNS_MIN = 20;
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const CLEAR_BELOW = '\u001b[J';

export class Screen {
  readonly #size: () => Size | null;
  readonly #known = new Map<string, string>();
  // The last screenful, oldest first.
  #drawn: Drawn[] = [];
  #columns = 0;

  // `size`: of the terminal now; null: it is none.
  constructor(size: () => Size | null) {
    this.#size = size;
  }

  message(message: WatchedMessage): string {
    const before = this.#known.get(message.id);
    if (before === message.text) return '';
    return before === undefined ? this.#append(message, '') : this.edited(message);
  }

  edited(message: WatchedMessage): string {
    const size = this.#sizeNow();
    if (size === null) return this.#append(message, '(edited) ');
    this.#learn(message);
    const lines = linesOf(message, '', size.columns);
    const place = this.#drawn.findIndex(({ id }) => id === message.id);
    const redrawn = place < 0 ? null : this.#redraw(place, [{ id: message.id, lines }], size);
    return redrawn ?? this.#append(message, '(edited) ');
  }

  deleted(id: string, at: string): string {
    this.#known.delete(id);
    const size = this.#sizeNow();
    const place = this.#drawn.findIndex((each) => each.id === id);
    const redrawn = size === null || place < 0 ? null : this.#redraw(place, [], size);
    return redrawn ?? this.#draw(NOBODY, [`${timeOf(at)} (a message was taken back)`], size);
  }

  #append(message: WatchedMessage, mark: string): string {
    this.#learn(message);
    const size = this.#sizeNow();
    const lines = linesOf(message, mark, size?.columns ?? Number.POSITIVE_INFINITY);
    // Where it stood before it can no longer be changed.
    this.#drawn = this.#drawn.map((each) =>
      each.id === message.id ? { ...each, id: NOBODY } : each,
    );
    return this.#draw(message.id, lines, size);
  }

  #draw(id: string, lines: readonly string[], size: Size | null): string {
    if (size === null) return `${lines.join('\n')}\n`;
    this.#drawn.push({ id, lines });
    this.#forget(size);
    return written(lines);
  }

  // Puts `instead` in the place of one, from the first row that changes; null: that row has scrolled off.
  #redraw(place: number, instead: readonly Drawn[], size: Size): string | null {
    const after = [...instead, ...this.#drawn.slice(place + 1)];
    const [old, now] = [this.#drawn.slice(place), after].map((all) => all.flatMap((d) => d.lines));
    let same = 0;
    while (same < old!.length && old![same] === now![same]) same += 1;
    const rowsUp = old!.length - same;
    if (rowsUp >= size.rows) return null;
    this.#drawn = [...this.#drawn.slice(0, place), ...after];
    this.#forget(size);
    const up = rowsUp === 0 ? '' : `\u001b[${rowsUp}A${CLEAR_BELOW}`;
    return `${up}${written(now!.slice(same))}`;
  }

  // When the width has changed the terminal has laid everything out anew: nothing is where it was drawn.
  #sizeNow(): Size | null {
    const size = this.#size();
    if (size === null) return null;
    const columns = Math.max(COLUMNS_MIN, size.columns);
    if (columns !== this.#columns) this.#drawn = [];
    this.#columns = columns;
    return { columns, rows: size.rows };
  }

  #forget({ rows }: Size): void {
    let below = 0;
    let first = this.#drawn.length;
    while (first > 0 && below < rows) below += this.#drawn[--first]!.lines.length;
    this.#drawn = this.#drawn.slice(first);
  }

  #learn({ id, text }: WatchedMessage): void {
    this.#known.delete(id);
    this.#known.set(id, text);
    if (this.#known.size > KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!);
  }
}

function written(lines: readonly string[]): string {
  return lines.length === 0
    ? ''
    : `${WRAP_OFF}${lines.map((line) => `${line}\r\n`).join('')}${WRAP_ON}`;
}

function linesOf({ at, thread, text }: WatchedMessage, mark: string, columns: number): string[] {
  const time = `${timeOf(at)} `;
  const where = thread === null ? '' : `[${harmless(thread).replaceAll('\n', ' ')}] `;
  const room = columns - time.length;
  const lines = harmless(`${mark}${where}${text}`)
    .split('\n')
    .flatMap((line) => rowsOf(line, room));
  return lines.map((line, i) => `${i === 0 ? time : ' '.repeat(time.length)}${line}`);
}

// Of this place, to the second.
function timeOf(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
