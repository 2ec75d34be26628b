// A bot with Discord's own client library, in a process of its own: one scenario, and what it asked for when.

import { REST } from '@discordjs/rest';
import { tell } from '../engine/child.ts';
import { SCENARIOS } from './scenarios.ts';

export interface Start {
  readonly api: string;
  readonly scenario: number;
  readonly process: number;
  readonly token: string;
}

export interface Asked {
  readonly channel: string;
  readonly text: string;
  readonly at: number;
}

// Longer than any wait here: by itself it would give up after 15 s and ask again.
const TIMEOUT_MS = 300_000;

const start = JSON.parse(process.argv[2]!) as Start;
const asked: Asked[] = [];
const rest = new REST({ api: `${start.api}/api`, timeout: TIMEOUT_MS }).setToken(start.token);
await SCENARIOS[start.scenario]!.run({
  rest,
  process: start.process,
  channel: (n) => `3${String(start.scenario).padStart(5, '0')}${String(n).padStart(12, '0')}`,
  asks: (channel, text) => asked.push({ channel, text, at: Date.now() }),
});
tell(asked);
process.once('SIGTERM', () => process.exit(0));
