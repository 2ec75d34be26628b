// Discord's API as a platform. Of state it keeps only the count of refusals that lead to a ban, and
// which interactions were posted here.

import type { Clock } from '../../system/clock.ts';
import type { Transport } from '../../system/http/transport.ts';
import type { FileSource, Platform, Warn } from '../platform.ts';
import { hostedWires } from '../sandbox.ts';
import { MESSAGE_BUDGETS, OPEN } from '../shared/budgets.ts';
import { CHANGES } from './changes.ts';
import { classify } from './classify.ts';
import { touch, wording } from './content.ts';
import { CREDENTIALS, isSandboxCredential } from './credentials.ts';
import {
  address,
  describe,
  isIdempotent,
  plainParams,
  recognisedMs,
  replyTarget,
  targets,
} from './describe.ts';
import { dialectFor } from './dialect/dialect.ts';
import { historyKind } from './history/reader.ts';
import { Interactions } from './interactions.ts';
import { InvalidRequests } from './invalid-requests.ts';
import { type DiscordLimits, discordPriors } from './limits.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { escapeValue, plainMessage } from './markdown.ts';
import { UNREACHABLE } from './reasons.ts';
import { mentions, named } from './references.ts';
import { routeOf } from './routes.ts';
import { type DiscordWires, identify, pass, send, timeAt } from './send.ts';
import type { DiscordSettings } from './settings.ts';
import { UPDATES } from './updates.ts';

export interface DiscordOptions {
  // Discord closes both with itself.
  readonly transport: Transport;
  // Without it the sandbox is off.
  readonly sandbox?: Transport;
  readonly clock: Clock;
  readonly limits?: Partial<DiscordLimits>;
  // Refusals in ten minutes after which nothing is asked.
  readonly invalidMax?: number;
  // Answers to interactions that nobody here has heard of; left out: they are taken.
  readonly takesInteractions?: boolean;
  readonly files?: FileSource;
  readonly warn?: Warn;
}

const INVALID_MAX_DEFAULT = 5000;
// A read is a call of the bot like any other.
const PASSED = Object.freeze({
  ...{ chat: '', user: null, family: 'send', budget: OPEN, live: false, cost: 1 },
} as const);
// Downloads are not Discord's API: files lie on other hosts.
const NO_FILE = { kind: 'unsent', reason: 'none', detail: 'no such file' } as const;

export function createDiscord(options: DiscordOptions): Platform {
  const { clock, invalidMax = INVALID_MAX_DEFAULT, warn = () => {} } = options;
  const invalid = new InvalidRequests(clock, invalidMax, warn);
  const given = { transport: options.transport, sandbox: options.sandbox ?? null };
  const wires = hostedWires(given, { ...CREDENTIALS, isSandbox: isSandboxCredential });
  const lines: DiscordWires = {
    wires,
    files: options.files ?? null,
    invalid,
  };
  const interactions = new Interactions(clock, options.takesInteractions ?? true);
  return {
    name: 'discord',
    credentials: CREDENTIALS,
    calls: {
      describe,
      address,
      textMethod: 'createMessage',
      textParams: plainMessage,
      isIdempotent,
      recognisedMs,
      isAwaited: (method) => routeOf(method)?.awaited === true,
      replyTarget,
      plainParams,
      targets,
    },
    budgets: MESSAGE_BUDGETS,
    limits: discordPriors(options.limits ?? {}),
    wire: {
      ...{ hostOf: wires.hostOf, isLocal: wires.isLocal, close: wires.close },
      identify: (credential) => identify(lines, credential),
      send: (call) => send(lines, call),
      classify,
      timeAt: (credential) => timeAt(lines, credential),
    },
    tuning: {
      limits: discordPriors,
      strategy: ({ qosDiscord }: Readonly<DiscordSettings>) => qosDiscord,
    },
    references: { mentions, named },
    history: [historyKind(lines)],
    content: { touch, wording },
    changes: CHANGES,
    dialect: dialectFor(interactions),
    passage: {
      pass: (call, hangUp) => pass(lines, call, hangUp),
      chargeOf: () => PASSED,
      download: async () => NO_FILE,
    },
    live: LIVE_OUTPUT,
    updates: { ...UPDATES, received: (update) => interactions.received(update) },
    broadcast: { escape: () => escapeValue, unreachable: UNREACHABLE, sampleChat: '1' },
    troubles: () => invalid.troubles(),
  };
}
