// Every line of the log that is about a delivery, an account, a queue or a worker names its platform: each event of the
// road as it is written, and each place in the sources that writes a line with an account of its own.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { named } from '../src/broadcast/running.ts';
import type { RoadEvent } from '../src/domain/event.ts';
import { virtualClock } from '../src/system/virtual-clock.ts';
import { unreachableLog } from '../src/telemetry/log/outage-log.ts';
import {
  ACCEPTED_LINES_PER_S_MAX,
  faultLog,
  fullLog,
  roadLog,
} from '../src/telemetry/log/road-log.ts';

const ACCOUNT = 'telegram:1';
const at = 1_700_000_000_000;
const about = {
  ...{ seq: 1, id: 'd-1', correlation: 'c', account: ACCOUNT, chat: '7', lane: 'chat' },
  ...{ method: 'sendMessage', priority: 'normal', acceptedAt: at },
};
const attempted = { kind: 'attempted', n: 1, outcome: 'limited', waitedMs: 1, tookMs: 1 };
const moved = { kind: 'moved', about, from: 'sending', reason: null, ageMs: 1, dueAt: 0 };
const EVENTS = [
  ...Array.from({ length: ACCEPTED_LINES_PER_S_MAX + 2 }, () => ({ kind: 'accepted', about })),
  { ...attempted, about, retryAfterMs: 1, payload: null },
  ...['sent', 'dead', 'uncertain', 'expired', 'superseded', 'cancelled'].map((to) => ({
    ...moved,
    to,
  })),
  { ...moved, to: 'queued', reason: 'limited', dueAt: at },
  { kind: 'cosmetic', account: ACCOUNT, chat: '7', method: 'sendChatAction', end: 'done' },
  { kind: 'frozen', account: ACCOUNT, scope: 'account', cause: '429', until: at },
  ...['open', 'half_open', 'closed'].map((state) => {
    return { kind: 'breaker', account: ACCOUNT, state, cause: 'unsent', detail: '', until: at };
  }),
  ...['refused', 'taken'].map((state) => ({ kind: 'token', account: ACCOUNT, state, detail: '' })),
];

test('each event of the road is told with its platform', () => {
  const lines: [message: string, fields: object][] = [];
  const note = (fields: object, message: string) => void lines.push([message, fields]);
  const log = { debug: note, info: note, warn: note, error: note, isLevelEnabled: () => true };
  const quiet = { ...log, isLevelEnabled: (level: string) => level !== 'debug' };
  for (const tell of [roadLog(log), roadLog(quiet)]) {
    // The last is of the next second, which tells what was left out of the first.
    EVENTS.forEach((event, i) => {
      tell({ at: i < EVENTS.length - 1 ? at : at + 1000, ...event } as unknown as RoadEvent);
    });
  }
  fullLog(virtualClock(at), log)({ account: ACCOUNT, waiting: 1, queueMax: 1 });
  unreachableLog(log)({ id: ACCOUNT, detail: '' });
  note(named({ id: 1, account: ACCOUNT, total: 2 }), 'a broadcast begins');
  faultLog(virtualClock(at), log, () => {})('attempt', new Error('x'), { account: ACCOUNT });
  expect(lines.length).toBeGreaterThan(EVENTS.length);
  expect(lines.map(([message]) => message)).toContain('accepted more');
  for (const [message, fields] of lines)
    expect(fields, message).toMatchObject({ platform: 'telegram' });
});

const FOLDERS = [
  'accept',
  'accounts',
  'app',
  'broadcast',
  'cluster',
  'dispatch',
  'http',
  'ingest',
  'keys',
  'streams',
  'updates',
];
const CALL = /\blog\??\.(?:debug|info|warn|error)\(/g;

test('no other line names an account and not its platform', () => {
  const src = join(import.meta.dirname, '../src');
  const lacking: string[] = [];
  let seen = 0;
  for (const folder of FOLDERS) {
    for (const file of readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || /\.(?:test|fixture|contract)\.ts$/.test(file)) continue;
      const text = readFileSync(join(src, folder, file), 'utf8');
      for (const { index } of text.matchAll(CALL)) {
        // Its fields, up to its words.
        const fields = text.slice(index, text.indexOf(');', index)).split(/'[^']* /)[0]!;
        seen += 1;
        if (/\baccount\b/.test(fields) && !/\bplatform\b/.test(fields)) {
          lacking.push(`${folder}/${file}: ${fields.replace(/\s+/g, ' ')}`);
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(20);
  expect(lacking).toEqual([]);
});
