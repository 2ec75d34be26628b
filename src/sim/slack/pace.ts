// How fast an app may call in its workspace: each method has a window, messages one of the workspace, and channels a
// debt that time pays back.

import { SimWindow } from '../window.ts';
import { type SimSlackOptions, TIER_2 } from './options.ts';

const CHANNELS_MAX = 100_000;

export class SlackPace {
  readonly #options: SimSlackOptions;
  readonly #windows = new Map<string, SimWindow>();
  // Until when each channel's debt is paid back.
  readonly #paidAt = new Map<string, number>();

  constructor(options: SimSlackOptions) {
    this.#options = options;
  }

  // When it may come again; `now`: it may go, and is counted.
  take(method: string, channel: string, now: number): number {
    const isMessage = method === 'chat.postMessage';
    const window = this.#windowOf(method);
    const { channelBurst, channelEachMs } = this.#options;
    const paidAt = Math.max(now, this.#paidAt.get(channel) ?? 0) + channelEachMs;
    const openAt = isMessage ? paidAt - channelBurst * channelEachMs : now;
    const at = Math.max(now, openAt, window.earliest(now, 1));
    if (at > now) return at;
    window.add(now, 1);
    if (isMessage) {
      if (this.#paidAt.size >= CHANNELS_MAX) this.#paidAt.clear();
      this.#paidAt.set(channel, paidAt);
    }
    return now;
  }

  #windowOf(method: string): SimWindow {
    const { tiers, workspace } = this.#options;
    const rate = method === 'chat.postMessage' ? workspace : (tiers[method] ?? TIER_2);
    const window = this.#windows.get(method) ?? new SimWindow(rate);
    this.#windows.set(method, window);
    return window;
  }
}
