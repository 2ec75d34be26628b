// What people watch: per chat a screen, which is its last messages and whoever looks at it. All in memory: a screen
// is a window, not a record; the record of every message is the ledger's. Watchers are told at once and never waited
// for. Everything is bounded: messages and text of a screen, and the screens, of which the longest untouched goes.

import type { Clock } from '../../system/clock.ts';
import type { ScreenEvent, ScreenMessage, ScreenWatch } from '../platform.ts';
import { NAME_DEFAULT } from './credentials.ts';

export interface ScreenBounds {
  readonly screensMax: number;
  readonly messagesMax: number;
  // Of all texts of one screen, in UTF-16 units; no single one can be longer.
  readonly unitsMax: number;
}

export const SCREEN_BOUNDS: ScreenBounds = Object.freeze({
  screensMax: 500,
  messagesMax: 200,
  unitsMax: 65_536,
});

const PREFIX = 'terminal:';

export type Watcher = (event: ScreenEvent) => void;

interface Screen {
  messages: ScreenMessage[];
  readonly watchers: Set<Watcher>;
  units: number;
  lastId: number;
}

export class Screens implements ScreenWatch {
  readonly #clock: Clock;
  readonly #bounds: ScreenBounds;
  // By account (its name) and chat. Insertion order is the order of use: the first is the longest untouched.
  readonly #screens = new Map<string, Screen>();

  constructor(clock: Clock, bounds: ScreenBounds = SCREEN_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  get unitsMax(): number {
    return this.#bounds.unitsMax;
  }

  named(account: string = NAME_DEFAULT): { id: string; name: string } {
    const name = account.startsWith(PREFIX) ? account.slice(PREFIX.length) : account;
    return { id: `${PREFIX}${name}`, name };
  }

  write(account: string, chat: string, text: string, thread: string | null): ScreenMessage {
    const screen = this.#touch(account, chat);
    const at = this.#clock.now();
    // Ids count up, and from the time, so that those after a restart are higher than all before it.
    screen.lastId = Math.max(screen.lastId + 1, Math.floor(at));
    const message = { id: String(screen.lastId), thread, text, at, editedAt: null };
    this.#append(screen, message);
    publish(screen, { kind: 'message', message });
    return message;
  }

  // A message that has scrolled off (or was there before a restart) comes back at the end, under the id it had: an
  // edit is the newest that is known, and must be seen. null: there cannot have been such a message yet.
  edit(account: string, chat: string, id: string, text: string): ScreenMessage | null {
    const screen = this.#touch(account, chat);
    const at = this.#clock.now();
    if (Number(id) > Math.max(screen.lastId, at)) return null;
    const place = screen.messages.findIndex((each) => each.id === id);
    const before = screen.messages[place];
    const since = { thread: before?.thread ?? null, at: before?.at ?? at };
    const message = { id, text, ...since, editedAt: at };
    if (before === undefined) this.#append(screen, message);
    else {
      screen.messages[place] = message;
      screen.units += text.length - before.text.length;
      this.#shorten(screen);
    }
    publish(screen, { kind: 'edited', message });
    return message;
  }

  erase(account: string, chat: string, id: string): void {
    const screen = this.#touch(account, chat);
    const gone = screen.messages.find((each) => each.id === id);
    if (gone === undefined) return;
    screen.messages = screen.messages.filter((each) => each !== gone);
    screen.units -= gone.text.length;
    publish(screen, { kind: 'deleted', id, at: this.#clock.now() });
  }

  typing(account: string, chat: string): void {
    const screen = this.#screens.get(keyOf(account, chat));
    if (screen !== undefined) publish(screen, { kind: 'typing', at: this.#clock.now() });
  }

  // What is on the screen now; from then on the watcher is told of every change, until `leave`.
  watch(
    account: string,
    chat: string,
    watcher: Watcher,
  ): { shown: ScreenMessage[]; leave(): void } {
    const screen = this.#touch(account, chat);
    screen.watchers.add(watcher);
    return { shown: [...screen.messages], leave: () => void screen.watchers.delete(watcher) };
  }

  #touch(account: string, chat: string): Screen {
    const key = keyOf(account, chat);
    const known = this.#screens.get(key);
    this.#screens.delete(key);
    const screen = known ?? { messages: [], watchers: new Set(), units: 0, lastId: 0 };
    this.#screens.set(key, screen);
    if (this.#screens.size > this.#bounds.screensMax) this.#forgetOne();
    return screen;
  }

  // The longest untouched that nobody looks at. Who lets watchers in lets in fewer than there are screens.
  #forgetOne(): void {
    for (const [key, { watchers }] of this.#screens) {
      if (watchers.size > 0) continue;
      this.#screens.delete(key);
      return;
    }
  }

  #append(screen: Screen, message: ScreenMessage): void {
    screen.messages.push(message);
    screen.units += message.text.length;
    this.#shorten(screen);
  }

  #shorten(screen: Screen): void {
    const { messagesMax, unitsMax } = this.#bounds;
    while (screen.messages.length > messagesMax || screen.units > unitsMax) {
      screen.units -= screen.messages.shift()!.text.length;
    }
  }
}

function publish(screen: Screen, event: ScreenEvent): void {
  for (const watcher of screen.watchers) watcher(event);
}

function keyOf(account: string, chat: string): string {
  return `${account}\n${chat}`;
}
