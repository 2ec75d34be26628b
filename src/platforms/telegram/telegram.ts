// Telegram's Bot API as a platform, put together. It keeps no state; each file knows one thing.

import type { Priors } from '../../limits/limits.ts';
import { publicFiles } from '../../system/http/public-files.ts';
import type { Transport } from '../../system/http/transport.ts';
import type { FileSource, Platform, ReaderKind } from '../platform.ts';
import { BUDGETS } from './budgets.ts';
import { CHANGES } from './changes.ts';
import { chatAfter } from './classify.ts';
import { touch } from './content.ts';
import { CREDENTIALS } from './credentials.ts';
import { cure } from './cures.ts';
import { address, describe, mentions, named } from './describe.ts';
import { DIALECT } from './dialect/dialect.ts';
import { POLLING } from './dialect/polling.ts';
import { FileIds } from './file-ids.ts';
import { createPriors, TELEGRAM_LIMITS_DEFAULT, type TelegramLimits } from './limits.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { isAwaited, isIdempotent, spends } from './methods.ts';
import { readNames } from './names.ts';
import { PARTS_MARK, rest, split, TEXT_UNITS_MAX } from './parts.ts';
import { plainParams } from './plain-params.ts';
import { REASONS, UNREACHABLE } from './reasons.ts';
import { personIn, replyTarget } from './reply-target.ts';
import { createPassage, createWire, type Routes } from './send.ts';
import type { TelegramSettings } from './settings.ts';
import { targets } from './targets.ts';
import { escapeFor } from './text/escape.ts';
import { wording } from './text/wording.ts';
import { UPDATES } from './updates/updates.ts';

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
  // Of the public pages of channels; opened when one is read. Without it none is.
  readonly pages?: () => Transport;
  // Readers over MTProto, where there are credentials for it.
  readonly mtproto?: readonly ReaderKind[];
  // Names a file that Telegram already has by its id instead of sending it again; true when left out.
  readonly reuse?: boolean;
}

// For an account with limits of its own.
export function telegramPriors(limits: Partial<TelegramLimits>): Priors {
  const all = { ...TELEGRAM_LIMITS_DEFAULT, ...limits };
  return { planOf: createPriors(all), pacesUsers: all.userPerMinute !== null };
}

// Needs no account. The parser of pages is loaded for those who read some.
function pageKind(kind: 'page' | 'sandbox', connect: () => Transport): ReaderKind {
  return {
    kind,
    async open() {
      const { createPageReader } = await import('./history/pages.ts');
      return createPageReader(connect(), kind === 'page' ? publicFiles() : null);
    },
  };
}

// Others use it, too.
function kept(transport: Transport): () => Transport {
  return () => ({ ...transport, close: async () => {} });
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
      isIdempotent,
      spends,
      isAwaited,
      replyTarget,
      personIn,
      plainParams,
      targets,
    },
    budgets: BUDGETS,
    limits: telegramPriors(options.limits ?? {}),
    history: [
      ...(options.mtproto ?? []),
      ...(options.pages === undefined ? [] : [pageKind('page', options.pages)]),
      ...(options.sandbox === undefined ? [] : [pageKind('sandbox', kept(options.sandbox))]),
    ],
    wire: createWire(routes),
    tuning: {
      limits: telegramPriors,
      strategy: ({ qosTelegram }: Readonly<TelegramSettings>) => qosTelegram,
    },
    repairs: {
      cure: (what, _method, body) => cure(what, body),
      chatAfter,
      ...{ split, rest, wholeUnitsMax: TEXT_UNITS_MAX, partsMark: PARTS_MARK },
    },
    references: { mentions, named },
    content: { touch, wording },
    changes: CHANGES,
    dialect: DIALECT,
    polling: POLLING,
    passage: createPassage(routes),
    live: LIVE_OUTPUT,
    updates: UPDATES,
    reasons: REASONS,
    names: { read: readNames },
    broadcast: { escape: escapeFor, unreachable: UNREACHABLE, sampleChat: '1' },
  };
}
