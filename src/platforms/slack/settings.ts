// The settings of Slack: where its Web API is, what its limits are believed to be, how live output goes.

import { integer } from '../../config/parse.ts';
import { limit, pacing, type SettingValues, upstream } from '../../config/setting-row.ts';

export const SLACK_SETTINGS = {
  slackApi: upstream('slack', 'https://slack.com', 'Upstream of Slack (a simulator)'),
  slackMpm: limit('slack_mpm', integer({ min: 1, max: 10_000 }), 300, {
    meaning: 'Messages of one Slack app in one workspace, all channels together',
    unit: 'per any minute',
  }),
  slackChannelBurst: limit('slack_channel_burst', integer({ min: 1, max: 100 }), 3, {
    meaning: 'Messages to one Slack channel at once; each is earned again in a second',
  }),
  qosSlack: pacing('slack', 'coalesce_only', 'Slack'),
} as const;

export type SlackSettings = SettingValues<typeof SLACK_SETTINGS>;
