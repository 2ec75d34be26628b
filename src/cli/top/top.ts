// sluice top: the gateway as it is now, drawn anew each second; in a file or a pipe once. It stays through a restart of
// the gateway, says so, and leaves the terminal as it found it.

import type { Command } from 'commander';
import { type Clock, systemClock, type Timer } from '../../system/clock.ts';
import { addClientOptions, type Client, connect } from '../client.ts';
import { type Io, printJson, type Terminal } from '../io.ts';
import { paintFor } from '../terminal/style.ts';
import { duration } from '../terminal/table.ts';
import { untilSignal } from '../terminal/until-signal.ts';
import { type Choice, firstChoice, press, SORTS } from './keys.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { describe, draw } from './view.ts';

interface Options {
  readonly sort: Choice['sort'];
  readonly filter?: string;
  readonly once?: true;
  readonly json?: true;
}

const LOOK_EVERY_MS = 1000;
// An answer that takes longer than this is worth a word.
const PATIENCE_MS = 3000;
// Another screen than the one with the shell's history on it; no cursor; no wrapping of long lines.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export function addTop(program: Command, io: Io): void {
  const command = program
    .command('top')
    .description('watch the gateway: rates, queues, accounts, freezes, streams, failures')
    .addOption(
      program
        .createOption('--sort <how>', 'accounts by')
        .choices([...SORTS])
        .default('trouble'),
    )
    .option('--filter <text>', 'only rows that hold this text')
    .option('--once', 'print it once, also on a terminal');
  addClientOptions(command).action(async (options: Options) => {
    const client = connect(io, { ...options });
    const choice = { ...firstChoice(), sort: options.sort, filter: options.filter ?? '' };
    // A gateway that is not there is told before the screen is taken.
    const first = await takeSnapshot(client);
    if (options.json) return printJson(io, first);
    const { terminal } = io;
    if (terminal === undefined || options.once === true) return io.out(describe(first, choice));
    return new Top({ client, clock: systemClock(), terminal, first, choice }).run(untilSignal());
  });
}

interface TopParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly first: Snapshot;
  readonly choice: Choice;
}

export class Top {
  readonly #parts: TopParts;
  readonly #quit = Promise.withResolvers<void>();
  readonly #hangUp = new AbortController();
  #snapshot: Snapshot;
  #choice: Choice;
  #trouble: string | null = null;
  #answeredAt: number;
  #isAsking = false;
  #timer: Timer | null = null;

  constructor(parts: TopParts) {
    this.#parts = parts;
    this.#snapshot = parts.first;
    this.#choice = parts.choice;
    this.#answeredAt = parts.clock.now();
  }

  // Until someone quits, or the signal.
  async run(signalled: Promise<unknown>): Promise<void> {
    const { terminal } = this.#parts;
    terminal.write(ENTER);
    const leave = terminal.attend?.({
      key: (key) => this.#press(key),
      resize: () => this.#draw(),
    });
    try {
      this.#draw();
      this.#lookLater();
      await Promise.race([this.#quit.promise, signalled]);
    } finally {
      this.#timer?.cancel();
      this.#hangUp.abort();
      leave?.();
      terminal.write(LEAVE);
    }
  }

  #lookLater(): void {
    const { clock } = this.#parts;
    this.#timer = clock.schedule(clock.now() + LOOK_EVERY_MS, () => {
      if (!this.#isAsking) void this.#look();
      this.#draw();
      this.#lookLater();
    });
  }

  async #look(): Promise<void> {
    const { client, clock } = this.#parts;
    this.#isAsking = true;
    try {
      const snapshot = await takeSnapshot(client, this.#hangUp.signal);
      if (!this.#choice.isHeld) this.#snapshot = snapshot;
      this.#trouble = null;
      this.#answeredAt = clock.now();
    } catch (error) {
      this.#trouble = (error as Error).message;
    }
    this.#isAsking = false;
    if (!this.#hangUp.signal.aborted) this.#draw();
  }

  #press(key: string): void {
    const pressed = press(this.#choice, key);
    if (pressed === 'quit') {
      this.#quit.resolve();
    } else {
      this.#choice = pressed;
      this.#draw();
    }
  }

  // Every line replaces the one that stands there: nothing flickers.
  #draw(): void {
    const { terminal } = this.#parts;
    const lines = draw({
      snapshot: this.#snapshot,
      choice: this.#choice,
      trouble: this.#silence(),
      size: terminal.size(),
      paint: paintFor(terminal.isColoured === true),
    });
    terminal.write(`${HOME}${lines.map((line) => line + CLEAR_REST).join('\r\n')}${CLEAR_BELOW}`);
  }

  #silence(): string | null {
    const { clock, client } = this.#parts;
    const silentMs = clock.now() - this.#answeredAt;
    const since = `what is shown is ${duration(silentMs)} old, trying again`;
    if (this.#trouble !== null) return `${since}: ${this.#trouble}`;
    return silentMs > PATIENCE_MS ? `${since}: ${client.url} does not answer` : null;
  }
}
