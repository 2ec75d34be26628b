// What is known of Slack before it is opened: its settings, and how its tokens look.

import { baseUrl, choice, integer } from '../../config/parse.ts';
import { limit, row } from '../../config/setting.ts';
import { STRATEGIES, type Strategy } from '../../domain/live.ts';
import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS } from './credentials.ts';

const SLACK_SETTINGS = {
  slackApi: row('server', 'slack_api', baseUrl(), 'https://slack.com', {
    meaning: 'Upstream of Slack (a simulator)',
  }),
  slackMpm: limit('slack_mpm', integer({ min: 1, max: 10_000 }), 300, {
    meaning: 'Messages of one Slack app in one workspace, all channels together',
    unit: 'per any minute',
  }),
  slackChannelBurst: limit('slack_channel_burst', integer({ min: 1, max: 100 }), 3, {
    meaning: 'Messages to one Slack channel at once; each is earned again in a second',
  }),
  qosSlack: row<Strategy>('live', 'qos_slack', choice(STRATEGIES), 'coalesce_only', {
    meaning: 'How live output is paced on Slack; the strategies are those of the other platforms',
    perAccount: true,
  }),
} as const;

export const SLACK = {
  name: 'slack',
  settings: SLACK_SETTINGS,
  credentials: CREDENTIALS,
  async open({ settings, connect, sandbox, clock }) {
    const { createSlack } = await import('./slack.ts');
    return createSlack({ transport: connect(settings.slackApi), sandbox, clock, limits: settings });
  },
} as const satisfies PlatformDefinition<typeof SLACK_SETTINGS>;
