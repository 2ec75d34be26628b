// The platforms' own APIs, as far as the gateway serves them: opened once, used over HTTP and from inside the process.

import type { WaitingCallers } from '../../accept/receipt.ts';
import type { IntakeOptions } from '../context.ts';
import { openTelegram, type TelegramDoor } from './door.ts';

// By the platform's name.
export type Dialects = ReadonlyMap<string, TelegramDoor>;

export function openDialects(options: IntakeOptions, waiting: WaitingCallers): Dialects {
  const telegram = openTelegram(options, waiting);
  return new Map(telegram === null ? [] : [[telegram.platform, telegram]]);
}
