// The loads: what each of them does to a gateway. All are written as how much and how long, so that a test can run
// the same ones small.

import { PRIORITIES, type Priority } from '../../src/domain/priority.ts';
import { type LoadReport, quantile, reportOf, type Sample } from './figures.ts';
import { accountOf, type LoadMessage, personOf, Stage } from './stage.ts';

export interface LoadSizes {
  readonly fleet: { bots: number; users: number; burstPerBot: number; lastsMs: number };
  readonly many: { bots: number; pauseMs: number; lastsMs: number };
  readonly startUp: { bots: number; events: number };
  readonly live: { privateSessions: number; groupSessions: number; lastsMs: number };
}

export const FULL: LoadSizes = {
  fleet: { bots: 50, users: 100, burstPerBot: 120, lastsMs: 30_000 },
  many: { bots: 1000, pauseMs: 5000, lastsMs: 25_000 },
  startUp: { bots: 20, events: 5000 },
  live: { privateSessions: 14, groupSessions: 6, lastsMs: 20_000 },
};

// Told now and then how it stands.
export type Progress = (line: string) => void;
export type Scenario = (sizes: LoadSizes, progress: Progress) => Promise<LoadReport>;

const SAMPLE_EVERY_MS = 250;
const PROGRESS_EVERY_MS = 2000;
// Whatever was accepted is out by then, or lost.
const DRAIN_MS_MAX = 120_000;
const USER_PAUSE_MS = 2000;
const TICK_MS = 100;
const WORD_EVERY_MS = 100;
const COMMAND_EVERY_MS = 5000;
const GROUP = '-1001000000001';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  fleet: ({ fleet }, progress) =>
    onStage('fleet', fleet.bots, progress, async (stage) => {
      await Promise.all([talk(stage, fleet), burst(stage, fleet)]);
      const { bots, users, burstPerBot } = fleet;
      return {
        what: `${bots} bots, ${users} people who talk with them, and ${burstPerBot} messages of each bot at once`,
        notes: [],
      };
    }),
  many: ({ many }, progress) =>
    onStage('many', many.bots, progress, async (stage) => {
      await paced(stage, many.bots, many, (bot) => ({ bot, chat: personOf(bot) }));
      return {
        what: `${many.bots} bots, each a message every ${many.pauseMs / 1000} s`,
        notes: [],
      };
    }),
  'start-up': ({ startUp }, progress) =>
    onStage('start-up', startUp.bots, progress, (stage) => startWith(stage, startUp)),
  live: ({ live }, progress) =>
    onStage('live', 1, progress, (stage) => showLive(stage, live, progress)),
};

interface Played {
  readonly what: string;
  readonly notes: readonly string[];
}

async function onStage(
  name: string,
  bots: number,
  progress: Progress,
  play: (stage: Stage) => Promise<Played>,
): Promise<LoadReport> {
  const stage = await Stage.open(bots);
  try {
    const beganAt = performance.now();
    const watch = watching(stage, (sample) => {
      const { atMs, queued, sent, rssBytes } = sample;
      const seconds = (atMs / 1000).toFixed(0).padStart(3);
      progress(`${seconds} s  ${sent} sent, ${queued} wait, ${mib(rssBytes)} MiB`);
    });
    const { what, notes } = await play(stage);
    await drained(stage);
    const samples = await watch.stop();
    const lastedMs = performance.now() - beganAt;
    const told = await stage.told();
    const { limited } = await stage.simStats();
    const { acceptMs } = stage;
    return reportOf({ name, what, lastedMs, told, limited, acceptMs, samples, notes });
  } finally {
    await stage.close();
  }
}

// A gateway that is not there just now is asked again.
function watching(stage: Stage, progress: (sample: Sample) => void) {
  const samples: Sample[] = [];
  const beganAt = performance.now();
  let isOver = false;
  let toldAt = 0;
  const watch = async () => {
    const { accepted: before } = await stage.simStats();
    while (!isOver) {
      const reading = await stage.read().catch(() => null);
      const atMs = performance.now() - beganAt;
      if (reading !== null) samples.push({ ...reading, atMs, sent: reading.sent - before });
      if (reading !== null && atMs - toldAt >= PROGRESS_EVERY_MS) {
        toldAt = atMs;
        progress(samples.at(-1)!);
      }
      await pause(SAMPLE_EVERY_MS);
    }
    return samples;
  };
  const watched = watch();
  return {
    stop() {
      isOver = true;
      return watched;
    },
  };
}

async function drained(stage: Stage): Promise<void> {
  const until = performance.now() + DRAIN_MS_MAX;
  while (performance.now() < until) {
    const { depths } = await stage.ask<{ depths: Record<string, number> }>(
      'GET',
      '/v1/queue?limit=1',
    );
    // `retry` is a part of the classes.
    const { retry: _, ...waiting } = depths;
    if (Object.values(waiting).every((depth) => depth === 0)) return;
    await pause(TICK_MS);
  }
}

// Each person hears from a bot of theirs every now and then.
function talk(stage: Stage, { users, lastsMs }: LoadSizes['fleet']): Promise<void> {
  const pace = { pauseMs: USER_PAUSE_MS, lastsMs };
  return paced(stage, users, pace, (user) => ({ bot: user % stage.bots, chat: personOf(user) }));
}

// Far more than a bot may send in a second, of all classes alike, to people whom nothing else is said to.
async function burst(stage: Stage, { users, burstPerBot, lastsMs }: LoadSizes['fleet']) {
  await pause(lastsMs / 3);
  const ofBot = (bot: number) =>
    Array.from({ length: burstPerBot }, (_, i) => {
      const chat = personOf(users + bot * burstPerBot + i);
      return { bot, chat, priority: classOf(i), text: `burst ${i}` };
    });
  await Promise.all(Array.from({ length: stage.bots }, (_, bot) => stage.send(ofBot(bot))));
}

// `count` senders, each with one message per pause, spread evenly over it. Open loop: a slow answer delays no other.
async function paced(
  stage: Stage,
  count: number,
  { pauseMs, lastsMs }: { pauseMs: number; lastsMs: number },
  targetOf: (sender: number) => { bot: number; chat: string },
): Promise<void> {
  const beganAt = performance.now();
  const total = Math.floor((count * lastsMs) / pauseMs);
  const sending: Promise<void>[] = [];
  while (sending.length < total) {
    const due = ((performance.now() - beganAt) * count) / pauseMs;
    for (let i = sending.length; i < Math.min(total, due); i++) {
      const message: LoadMessage = {
        ...targetOf(i % count),
        priority: classOf(i),
        text: `message ${i}`,
      };
      const sent = stage.send([message]);
      // It fails the load when all are awaited: one that ended the process here would leave its gateway behind.
      sent.catch(() => {});
      sending.push(sent);
    }
    await pause(10);
  }
  await Promise.all(sending);
}

// All is accepted and none of it sent when the process is killed; then one starts on what it left.
async function startWith(stage: Stage, { bots, events }: LoadSizes['startUp']): Promise<Played> {
  // An account is known from its first message on.
  await stage.setPaused(true);
  const messages = Array.from({ length: events }, (_, i) => ({
    ...{ bot: i % bots, chat: personOf(i), priority: classOf(Math.floor(i / bots)) },
    text: `event ${i}`,
  }));
  await stage.send(messages);
  await stage.kill();
  const startedAt = performance.now();
  await stage.startAgain();
  const listensMs = performance.now() - startedAt;
  await stage.setPaused(false);
  await drained(stage);
  const sentMs = performance.now() - startedAt;
  return {
    what: `${events} messages of ${bots} bots on disk when the process was killed`,
    notes: [
      `the new process listened after ${seconds(listensMs)}`,
      `all were sent after ${seconds(sentMs)}`,
    ],
  };
}

// Texts that grow word by word, all at once, and a command to the same group now and then.
async function showLive(
  stage: Stage,
  { privateSessions, groupSessions, lastsMs }: LoadSizes['live'],
  progress: Progress,
): Promise<Played> {
  const finalMs = { private: [] as number[], group: [] as number[] };
  const write = async (chat: string, thread: number | null, lateMs: number[]) => {
    const to = { platform: 'telegram', account: accountOf(0), chat };
    const where = thread === null ? to : { ...to, thread };
    const { id } = await stage.ask<{ id: string }>('POST', '/v1/streams', { to: where });
    const until = performance.now() + lastsMs;
    for (let word = 0; performance.now() < until; word++) {
      await stage.ask('PATCH', `/v1/streams/${id}`, { append: `word${word} ` });
      await pause(WORD_EVERY_MS);
    }
    const askedAt = performance.now();
    await stage.ask('POST', `/v1/streams/${id}/final`, { append: 'end', wait: true });
    lateMs.push(performance.now() - askedAt);
    progress(`a final of ${chat} after ${seconds(performance.now() - askedAt)}`);
  };
  const people = Array.from({ length: privateSessions }, (_, i) =>
    write(personOf(i), null, finalMs.private),
  );
  const topics = Array.from({ length: groupSessions }, (_, i) =>
    write(GROUP, i + 2, finalMs.group),
  );
  await Promise.all([...people, ...topics, commands(stage, lastsMs)]);
  const slowest = (ms: readonly number[]) =>
    ms.length === 0
      ? 'none'
      : `${seconds(quantile(ms, 0.5))}, the slowest ${seconds(Math.max(...ms))}`;
  return {
    what:
      `${privateSessions} texts that grow in private chats, ${groupSessions} in the topics of one group, ` +
      'and commands there',
    notes: [
      `finals in private chats after ${slowest(finalMs.private)}`,
      `finals in the group after ${slowest(finalMs.group)}`,
    ],
  };
}

async function commands(stage: Stage, lastsMs: number): Promise<void> {
  const until = performance.now() + lastsMs;
  while (performance.now() < until) {
    await stage.send([{ bot: 0, chat: GROUP, priority: 'critical', text: 'a command' }]);
    await pause(Math.min(COMMAND_EVERY_MS, lastsMs));
  }
}

function classOf(i: number): Priority {
  return PRIORITIES[i % PRIORITIES.length]!;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function mib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
