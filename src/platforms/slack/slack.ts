// Slack's Web API as a platform, put together from its files. It keeps no state.

import { scalarText } from '../../domain/scalar.ts';
import type { Clock } from '../../system/clock.ts';
import type { Platform } from '../platform.ts';
import type { Wires } from '../sandbox.ts';
import { webWire } from '../shared/web-wire.ts';
import { CALLS, slackPriors } from './calls.ts';
import { CREDENTIALS, isSandbox } from './credentials.ts';
import { DIALECT } from './dialect.ts';
import type { SlackSettings } from './settings.ts';
import { escapeText, LIVE_OUTPUT, MESSAGES } from './text.ts';
import { updatesAt } from './updates.ts';
import { classify, questionOf, requestOf, UNREACHABLE } from './wire.ts';

export interface SlackOptions extends Wires {
  readonly clock: Clock;
  readonly limits?: Partial<SlackSettings>;
}

export function createSlack({ clock, limits = {}, ...wires }: SlackOptions): Platform {
  return {
    name: 'slack',
    credentials: CREDENTIALS,
    calls: {
      ...CALLS,
      textParams: (text) => ({ text: escapeText(text), mrkdwn: false }),
      replyTarget: (_chat, { thread_ts: thread }) => scalarText(thread) || null,
    },
    limits: slackPriors(limits),
    ...webWire(wires, { ...CREDENTIALS, isSandbox }, { requestOf, questionOf, classify }),
    tuning: { limits: slackPriors, strategy: ({ qosSlack }: Readonly<SlackSettings>) => qosSlack },
    ...MESSAGES,
    dialect: DIALECT,
    live: LIVE_OUTPUT,
    updates: updatesAt(clock),
    broadcast: { escape: () => escapeText, unreachable: UNREACHABLE, sampleChat: 'C0' },
  };
}
