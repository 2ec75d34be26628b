// Telegram's Bot API as a platform: the room's door. It keeps no state; each file knows one thing.

import { withoutExact } from '../../domain/exact.ts';
import type { Priors } from '../../limits/limits.ts';
import type { Transport } from '../../system/transport.ts';
import type { FileSource, Platform } from '../platform.ts';
import { CHANGES } from './changes.ts';
import { chatAfter, classify } from './classify.ts';
import { touch } from './content.ts';
import { CREDENTIALS } from './credentials.ts';
import { cure } from './cures.ts';
import { address, describe } from './describe.ts';
import { DIALECT } from './dialect/dialect.ts';
import { POLLING } from './dialect/polling.ts';
import { escapeFor } from './escape.ts';
import { FileIds } from './file-ids.ts';
import { createPriors, TELEGRAM_LIMITS_DEFAULT, type TelegramLimits } from './limits.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { deliveryMethod, isAwaited, spends } from './methods.ts';
import { rest, split, withoutProgress } from './parts.ts';
import { plainParams } from './plain-params.ts';
import { UNREACHABLE } from './reasons.ts';
import { mentions, named } from './references.ts';
import { replyTarget } from './reply-target.ts';
import { download, hostOf, identify, isLocal, pass, type Routes, send, timeAt } from './send.ts';
import type { TelegramSettings } from './settings.ts';
import { targets } from './targets.ts';
import { UPDATES } from './updates.ts';
import { wording } from './wording.ts';

export { outputMpm, TELEGRAM_LIMITS_DEFAULT, type TelegramLimits } from './limits.ts';
export { REASONS, type Reason } from './reasons.ts';

export interface TelegramOptions {
  // Of the Bot API's base URL. Telegram closes both transports with itself.
  readonly transport: Transport;
  // Where `<digits>:sandbox…` tokens go; without it the sandbox is off, and they go nowhere.
  readonly sandbox?: Transport;
  readonly limits?: Partial<TelegramLimits>;
  // Where the files of calls lie; without it there are none.
  readonly files?: FileSource;
  // Names a file that Telegram already has by its id instead of sending it again; true when left out.
  readonly reuse?: boolean;
}

// For an account with limits of its own.
export function telegramPriors(limits: Partial<TelegramLimits>): Priors {
  return { planOf: createPriors({ ...TELEGRAM_LIMITS_DEFAULT, ...limits }) };
}

export function createTelegram(options: TelegramOptions): Platform {
  const routes: Routes = {
    transport: options.transport,
    sandbox: options.sandbox ?? null,
    files: options.files ?? null,
    fileIds: options.reuse === false ? null : new FileIds(),
  };
  return {
    name: 'telegram',
    credentials: CREDENTIALS,
    calls: {
      describe,
      address,
      textMethod: 'sendMessage',
      textParams: (text) => ({ text }),
      isIdempotent: (method) => deliveryMethod(method).idempotent,
      spends,
      isAwaited,
      replyTarget,
      plainParams,
      targets,
    },
    limits: telegramPriors(options.limits ?? {}),
    wire: {
      hostOf: (credential) => hostOf(routes, credential),
      isLocal,
      identify: (credential) => identify(routes, credential),
      send: (call) => send(routes, { ...call, body: withoutExact(withoutProgress(call.body)) }),
      classify,
      timeAt: (credential) => timeAt(routes, credential),
      async close() {
        await Promise.all([routes.transport.close(), routes.sandbox?.close()]);
      },
    },
    tuning: {
      limits: telegramPriors,
      strategy: ({ qosTelegram }: Readonly<TelegramSettings>) => qosTelegram,
    },
    repairs: { cure: (what, _method, body) => cure(what, body), chatAfter, split, rest },
    references: { mentions, named },
    content: { touch, wording },
    changes: CHANGES,
    dialect: DIALECT,
    polling: POLLING,
    passage: {
      pass: (call, hangUp) => pass(routes, call, hangUp),
      download: (file, hangUp) => download(routes, file, hangUp),
    },
    live: LIVE_OUTPUT,
    updates: UPDATES,
    broadcast: { escape: escapeFor, unreachable: UNREACHABLE, sampleChat: '1' },
  };
}
