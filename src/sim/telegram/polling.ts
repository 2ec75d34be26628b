// getUpdates that waits: answered when an update comes or the caller's time is up. One poller per bot:
// a second one sends the first away, as Telegram does.

import type { Clock } from '../../system/clock.ts';
import { intOf, type SimParams } from '../params.ts';
import { OTHER_POLLER, refused, type SimAnswer } from './answers.ts';
import type { TelegramModel } from './port.ts';

const TIMEOUT_S_MAX = 50;
const EMPTY = '{"ok":true,"result":[]}';

export class Polling {
  readonly #model: TelegramModel;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (answer: SimAnswer) => void>();

  constructor(model: TelegramModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  isLong(method: string, params: SimParams): boolean {
    return method.toLowerCase() === 'getupdates' && (intOf(params, 'timeout') ?? 0) > 0;
  }

  poll(token: string, params: SimParams): Promise<SimAnswer> {
    const ask = () => this.#model.call(token, 'getUpdates', params, this.#clock.now()).answer;
    this.#waiting.get(token)?.(refused(OTHER_POLLER, false));
    const first = ask();
    if (first.body !== EMPTY) return Promise.resolve(first);
    return new Promise((resolve) => {
      const finish = (answer: SimAnswer) => {
        stopListening();
        timer.cancel();
        this.#waiting.delete(token);
        resolve(answer);
      };
      const seconds = Math.min(intOf(params, 'timeout') ?? 0, TIMEOUT_S_MAX);
      const timer = this.#clock.schedule(this.#clock.now() + seconds * 1000, () => finish(ask()));
      const stopListening = this.#model.onUpdate(token, () => finish(ask()));
      this.#waiting.set(token, finish);
    });
  }

  // Everyone who waits is answered with what there is: nothing.
  close(): void {
    for (const finish of [...this.#waiting.values()]) {
      finish({ status: 200, headers: { 'content-type': 'application/json' }, body: EMPTY });
    }
  }
}
