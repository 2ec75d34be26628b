// WhatsApp's Cloud API as a platform, put together from its files. It keeps no state of deliveries.

import type { Transport } from '../../system/http/transport.ts';
import type { FileSource, Platform } from '../platform.ts';
import { MESSAGE_BUDGETS } from '../shared/budgets.ts';
import { webWire } from '../shared/web-wire.ts';
import { WORDS } from './answer.ts';
import { classify } from './classify.ts';
import { CREDENTIALS, isSandboxToken } from './credentials.ts';
import {
  address,
  describe,
  isIdempotent,
  MESSAGES,
  plainParams,
  replyTarget,
  targets,
  textParams,
} from './describe.ts';
import { type GraphParts, questionOf, requestOf } from './graph.ts';
import { type WhatsappLimits, whatsappPriors } from './limits.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { UNREACHABLE } from './reasons.ts';
import { mentions, named } from './references.ts';
import { createReading, OWN, ROUTES } from './request.ts';
import type { WhatsappSettings } from './settings.ts';
import { UPDATES } from './updates.ts';
import { wording } from './wording.ts';

export { REASONS, type WhatsappReason } from './reasons.ts';

// A status tells within seconds what became of a message; before that an uncertain one is not sent again.
const RECONCILED_MS = 30_000;
// Tokens that begin with `sandbox` reach the built-in simulator and never Meta.
const LOOK = { ...CREDENTIALS, isSandbox: isSandboxToken };
const VERSION_DEFAULT = 'v23.0';
// How much of Meta's own limits is used, and by what support finds a call.
const HEADERS_PASSED = [
  ...['x-app-usage', 'x-business-use-case-usage', 'facebook-api-version', 'x-fb-trace-id'],
];

export interface WhatsappOptions {
  // Of the Graph API's base URL. WhatsApp closes both transports with itself.
  readonly transport: Transport;
  // Where tokens that begin with `sandbox` go; without it the sandbox is off, and they go nowhere.
  readonly sandbox?: Transport;
  readonly version?: string;
  readonly limits?: Partial<WhatsappLimits>;
  // Where the files of calls lie; without it there are none.
  readonly files?: FileSource;
}

export function createWhatsapp(options: WhatsappOptions): Platform {
  const wires = { transport: options.transport, sandbox: options.sandbox ?? null };
  const parts: GraphParts = {
    files: options.files ?? null,
    version: options.version ?? VERSION_DEFAULT,
  };
  return {
    name: 'whatsapp',
    credentials: CREDENTIALS,
    calls: {
      describe,
      address,
      textMethod: MESSAGES,
      textParams,
      isIdempotent,
      replyTarget,
      plainParams,
      targets,
    },
    budgets: MESSAGE_BUDGETS,
    limits: whatsappPriors(options.limits ?? {}),
    ...webWire(wires, LOOK, {
      requestOf: (call) => requestOf(parts, call),
      questionOf: (credential) => questionOf(parts, credential),
      classify,
      reconciledMs: RECONCILED_MS,
    }),
    tuning: {
      limits: whatsappPriors,
      strategy: ({ qosWhatsapp }: Readonly<WhatsappSettings>) => qosWhatsapp,
    },
    references: { mentions, named },
    content: { touch: () => null, wording },
    dialect: {
      ...{ routes: ROUTES, own: OWN, headersPassed: HEADERS_PASSED },
      ...createReading(),
      ...WORDS,
    },
    live: LIVE_OUTPUT,
    updates: UPDATES,
    broadcast: { escape: () => String, unreachable: UNREACHABLE, sampleChat: '15550000000' },
  };
}
