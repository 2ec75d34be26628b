// Slack's Web API as a platform, put together from its files. It keeps no state.

import type { Strategy } from '../../domain/live.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { Clock } from '../../system/clock.ts';
import type { Platform } from '../platform.ts';
import { closeWires, hostFor, type Wires, wireFor } from '../sandbox.ts';
import { address, CHANGES, CONTENT, describe, isIdempotent, REFERENCES, targets } from './calls.ts';
import { classify, UNREACHABLE } from './classify.ts';
import { CREDENTIALS, isSandboxToken, isToken } from './credentials.ts';
import { DIALECT } from './dialect.ts';
import { type SlackLimits, slackPriors } from './limits.ts';
import { LIVE_OUTPUT } from './live-output.ts';
import { escapeText } from './mrkdwn.ts';
import { updatesAt } from './updates.ts';
import { identify, requestOf } from './wire.ts';

export interface SlackOptions extends Wires {
  readonly clock: Clock;
  readonly limits?: Partial<SlackLimits>;
}

export function createSlack({ clock, limits = {}, ...wires }: SlackOptions): Platform {
  const wireOf = (credential: string) => wireFor(wires, isSandboxToken(credential));
  return {
    name: 'slack',
    credentials: CREDENTIALS,
    calls: {
      ...{ describe, address, isIdempotent, targets, textMethod: 'chat.postMessage' },
      textParams: (text) => ({ text: escapeText(text), mrkdwn: false }),
      replyTarget: (_chat, { thread_ts: thread }) => scalarText(thread) || null,
    },
    limits: slackPriors(limits),
    wire: {
      hostOf: (credential) => hostFor(wires, isSandboxToken(credential)),
      isLocal: (credential) => !isToken(credential) || isSandboxToken(credential),
      identify: (credential) => identify(wires, credential),
      send: (call) => wireOf(call.credential).request(requestOf(call)),
      classify,
      close: () => closeWires(wires),
    },
    tuning: {
      limits: slackPriors,
      strategy: ({ qosSlack }: { readonly qosSlack: Strategy }) => qosSlack,
    },
    references: REFERENCES,
    content: CONTENT,
    changes: CHANGES,
    dialect: DIALECT,
    passage: {
      pass: (call, hangUp) => wireOf(call.credential).stream(requestOf(call), hangUp),
      download: async () => ({ kind: 'unsent', reason: 'none', detail: 'files lie elsewhere' }),
    },
    live: LIVE_OUTPUT,
    updates: updatesAt(clock),
    broadcast: { escape: () => escapeText, unreachable: UNREACHABLE, sampleChat: 'C0' },
  };
}
