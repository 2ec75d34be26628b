// npm run spine: how many files one message runs through, from its request until it is settled. V8 counts the calls of
// every function of the main thread; a file counts when any of its functions ran for each of several warm messages, so
// that a timer which happens to fire beside one of them does not. The built-in simulator stands for the platform and
// is listed apart: a message to a real one does not run through it.

import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createGateway } from '../src/index.ts';
import { ROOT } from './run.ts';

const WARM_UP = 20;
const SAMPLES = 7;
// The settle is forced to the disk a few milliseconds after it was told; what that calls belongs to the message.
const REST_MS = 20;
// A chat of its own for each message, so that no chat's limit makes one wait.
const CHAT_FIRST = 1000;
const ADMIN_KEY = 'the-key-of-this-measurement-alone';
const SIMULATOR = 'src/sim/';
const SOURCES = pathToFileURL(join(ROOT, 'src/')).href;

interface Way {
  readonly name: string;
  readonly path: string;
  // More than a reader would follow; then the run fails.
  readonly filesMax: number;
  body(chat: number): object;
}

const WAYS: readonly Way[] = [
  {
    name: 'POST /v1/messages',
    path: '/v1/messages',
    filesMax: 45,
    body: (chat) => ({
      to: { platform: 'telegram', account: '1:sandbox', chat },
      body: { text: 'one message' },
    }),
  },
  {
    name: 'POST /bot1:sandbox/sendMessage',
    path: '/bot1:sandbox/sendMessage',
    filesMax: 48,
    body: (chat) => ({ chat_id: chat, text: 'one message' }),
  },
];

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const data = mkdtempSync(join(tmpdir(), 'sluice-spine-'));
const gateway = await createGateway({ data, port: 0, adminKey: ADMIN_KEY });
// Set anew for each message; subscribing anew would run through files of its own.
let onSent = (): void => {};
gateway.events((event) => {
  if (event.kind === 'moved' && event.to === 'sent') onSent();
});
try {
  const url = await gateway.listen();
  let chat = CHAT_FIRST;
  for (const way of WAYS) {
    for (let i = 0; i < WARM_UP; i++) await settled(url, way, chat++);
    const samples: Set<string>[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      await ran();
      await settled(url, way, chat++);
      samples.push(await ran());
    }
    report(way, samples);
  }
} finally {
  await gateway.close();
  rmSync(data, { recursive: true, force: true });
}

// Sends one message and waits until its end was told, answered and is on disk.
async function settled(url: string, way: Way, chat: number): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  onSent = resolve;
  const answer = await fetch(url + way.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify(way.body(chat)),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${way.name}: ${answer.status} ${said}`);
  await ended;
  await new Promise((rested) => setTimeout(rested, REST_MS));
}

// The files of src/ in which any function ran since this was last asked.
async function ran(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url }) => url.startsWith(SOURCES))
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .map(({ url }) => `src/${url.slice(SOURCES.length)}`);
  return new Set(files);
}

function report(way: Way, samples: readonly Set<string>[]): void {
  const always = [...samples[0]!].filter((file) => samples.every((sample) => sample.has(file)));
  const own = always.filter((file) => !file.startsWith(SIMULATOR));
  const folders = Object.groupBy(own, (file) => posix.dirname(file));
  console.log(
    `${way.name}: ${own.length} files, and ${always.length - own.length} of ${SIMULATOR}`,
  );
  if (own.length > way.filesMax) {
    console.log(`  at most ${way.filesMax} are wanted`);
    process.exitCode = 1;
  }
  for (const folder of Object.keys(folders).sort()) {
    const names = folders[folder]!.map((file) => posix.basename(file, '.ts')).sort();
    console.log(`  ${folder} (${names.length}): ${names.join(', ')}`);
  }
}
