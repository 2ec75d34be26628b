// What is known of Slack before it is opened.

import type { PlatformDefinition } from '../definition.ts';
import { CREDENTIALS } from './credentials.ts';
import { SLACK_SETTINGS } from './settings.ts';

export const SLACK = {
  name: 'slack',
  settings: SLACK_SETTINGS,
  credentials: CREDENTIALS,
  async open({ settings, connect, sandbox, clock }) {
    const { createSlack } = await import('./slack.ts');
    return createSlack({ transport: connect(settings.slackApi), sandbox, clock, limits: settings });
  },
} as const satisfies PlatformDefinition<typeof SLACK_SETTINGS>;
