// Questions to whoever sits at the terminal, or lines that are piped in. A password is not shown while it is typed.

import { createInterface, type Interface } from 'node:readline';
import { Failed, type Io } from '../io.ts';

const ENTER = ['\r', '\n'];
const ERASE = ['\x7f', '\b'];
const CTRL_C = '\x03';

export class Questions {
  readonly #io: Io;
  #lines: Interface | null = null;
  #read: AsyncIterator<string> | null = null;

  constructor(io: Io) {
    this.#io = io;
  }

  ask(what: string): Promise<string> {
    return this.#ask(what, false);
  }

  askHidden(what: string): Promise<string> {
    return this.#ask(what, true);
  }

  close(): void {
    this.#lines?.close();
  }

  #ask(what: string, isHidden: boolean): Promise<string> {
    const { terminal } = this.#io;
    const isTyped = terminal?.attend !== undefined;
    return isTyped ? this.#typed(what, isHidden) : this.#piped(what);
  }

  #typed(what: string, isHidden: boolean): Promise<string> {
    const terminal = this.#io.terminal!;
    terminal.write(`${what}: `);
    return new Promise((resolve, reject) => {
      let typed = '';
      const leave = terminal.attend!({
        resize() {},
        key(key) {
          if (key === CTRL_C || ENTER.includes(key)) {
            leave();
            terminal.write('\n');
            if (key === CTRL_C) reject(new Failed('given up'));
            else resolve(typed);
          } else if (ERASE.includes(key)) {
            if (typed !== '' && !isHidden) terminal.write('\b \b');
            typed = typed.slice(0, -1);
          } else if (key >= ' ') {
            typed += key;
            if (!isHidden) terminal.write(key);
          }
        },
      });
    });
  }

  async #piped(what: string): Promise<string> {
    const { input } = this.#io;
    if (input === undefined) throw new Failed(`nobody answers: ${what}`);
    this.#lines ??= createInterface({ input });
    this.#read ??= this.#lines[Symbol.asyncIterator]();
    const line = await this.#read.next();
    if (line.done === true) throw new Failed(`nobody answers: ${what}`);
    return line.value;
  }
}
