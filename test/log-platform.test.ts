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
// Where each line is about a delivery, a stream or an account: it names its platform, whatever else it says.
const STRICT =
  /^(?:accept|broadcast|streams|updates|http\/streams)\/|^app\/(?:streams|ingest\/handing-on)\.ts$/;
const OF_NONE: Readonly<Record<string, string>> = {
  'could not resume the broadcasts; trying again': 'the store gave none of them',
  'could not save outcomes of a broadcast; trying again': 'one save has those of all accounts',
  'a webhook did not take a post; trying again': 'a source is read by a reader, by no account',
};
const CALL = /\blog\??\.(?:debug|info|warn|error)\(/g;

// What it says before its words; a name stands for what was last assigned to it, also one that is spread.
function lineAt(text: string, index: number): { fields: string; words: string } {
  const call = text.slice(index, text.indexOf(');', index));
  const [fields, words = ''] = call.split(/,\s*(?=['`])/);
  const before = text.slice(0, index);
  const assigned = [...fields!.matchAll(/(?:\.\.\.|\()(\w+)(?=[ ,]|$)/g)].map(([, name]) => {
    const at = before.lastIndexOf(`const ${name} = `);
    return at < 0 ? '' : before.slice(at, before.indexOf(';', at));
  });
  const said = /^'([^']*)'/.exec(words)?.[1] ?? words;
  return { fields: [fields, ...assigned].join(' '), words: said };
}

// Of one file the lines that lack their platform.
function lackingIn(file: string, text: string): string[] {
  return [...text.matchAll(CALL)].flatMap(({ index }) => {
    const { fields, words } = lineAt(text, index);
    const isAbout = STRICT.test(file) ? OF_NONE[words] === undefined : /\baccount\b/.test(fields);
    // `named` and `lineOf` are what the first test, and the type of what they make, say.
    const isNamed = /\bplatform\b|\bnamed\(|\blineOf\(/.test(fields);
    return isAbout && !isNamed ? [`${file}: ${fields.replace(/\s+/g, ' ')}`] : [];
  });
}

test('the rule sees a line without its platform', () => {
  const bad = `log.warn({ err: error }, 'it failed');`;
  expect(lackingIn('accept/new.ts', bad)).toEqual(['accept/new.ts: log.warn({ err: error }']);
  expect(lackingIn('dispatch/new.ts', bad)).toEqual([]);
  expect(lackingIn('dispatch/new.ts', bad.replace('err: error', 'account'))).toHaveLength(1);
  expect(lackingIn('accept/new.ts', `const about = { n: 1 };\nlog.warn(about, 'x');`)).toHaveLength(
    1,
  );
  expect(lackingIn('accept/new.ts', bad.replace('{', '{ platform,'))).toEqual([]);
  const assigned = `const about = { platform };\nlog.warn(about, 'x');`;
  expect(lackingIn('accept/new.ts', assigned)).toEqual([]);
  const [listed] = Object.keys(OF_NONE);
  expect(lackingIn('accept/new.ts', bad.replace('it failed', listed!))).toEqual([]);
});

test('no line of the sources lacks its platform', () => {
  const src = join(import.meta.dirname, '../src');
  const lacking: string[] = [];
  const words = new Set<string>();
  let seen = 0;
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || /\.(?:test|fixture|contract)\.ts$/.test(name)) continue;
      const text = readFileSync(join(src, folder, name), 'utf8');
      const calls = [...text.matchAll(CALL)];
      seen += calls.length;
      for (const { index } of calls) words.add(lineAt(text, index).words);
      lacking.push(...lackingIn(`${folder}/${name}`, text));
    }
  }
  expect(seen).toBeGreaterThan(40);
  expect(lacking).toEqual([]);
  // A line that is gone needs no reason.
  expect(Object.keys(OF_NONE).filter((line) => !words.has(line))).toEqual([]);
});
