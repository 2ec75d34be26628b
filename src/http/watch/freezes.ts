// Which freezes hold now, kept from the road's events so that nobody has to walk all chats to know. What was frozen
// before the process began is read from the limits once.

import { showTime } from '../../accept/time.ts';
import type { RoadEvent } from '../../domain/event.ts';
import type { LimitsView } from '../../road/road.ts';

export interface Frozen {
  readonly account: string;
  // `chat`, `account`, `family` or `gate`, and which; '' is the account itself.
  readonly scope: string;
  readonly name: string;
  readonly since: number;
  readonly until: number;
  readonly cause: string;
}

// More than this at once are not told apart; the limits still keep them.
const FREEZES_MAX = 10_000;

export class Freezes {
  readonly #frozen = new Map<string, Frozen>();

  constructor(known: readonly LimitsView[]) {
    for (const { account, chat, freezes } of known) {
      for (const freeze of freezes) this.#keep({ ...freeze, account, name: chat });
    }
  }

  readonly listen = (event: RoadEvent): void => {
    if (event.kind !== 'frozen') return;
    const { account, until, cause, at } = event;
    const colon = event.scope.indexOf(':');
    const scope = event.scope.slice(0, colon);
    this.#keep({ account, scope, name: event.scope.slice(colon + 1), since: at, until, cause });
  };

  // Those that end last come first.
  active(now: number): Frozen[] {
    for (const [key, { until }] of this.#frozen) if (until <= now) this.#frozen.delete(key);
    return [...this.#frozen.values()].sort((a, b) => b.until - a.until);
  }

  #keep(frozen: Frozen): void {
    const key = JSON.stringify([frozen.account, frozen.scope, frozen.name]);
    if (this.#frozen.size >= FREEZES_MAX && !this.#frozen.has(key)) return;
    this.#frozen.set(key, frozen);
  }
}

export function showFrozen({ account, scope, name, since, until, cause }: Frozen) {
  return { account, scope, name, since: showTime(since), until: showTime(until), cause };
}
