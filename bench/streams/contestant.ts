// One contestant in a process of its own: it shows all answers at once, in its own way, and tells when each word was
// known to it. `sluice` hands the words over as they come; `loop` edits once a second, as most bots do; `throttler`
// edits at every word and leaves the pace to grammY's throttler.

import { autoRetry } from '@grammyjs/auto-retry';
import { apiThrottler } from '@grammyjs/transformer-throttler';
import { Api } from 'grammy';
import { Pool } from 'undici';
import { tell } from '../engine/child.ts';
import { ANSWERS, type Answer, type Known, textOf, WORD_EVERY_MS, wordOf } from './answers.ts';

export type Way = 'sluice' | 'loop' | 'throttler';

export interface Entry {
  readonly way: Way;
  readonly url: string;
  readonly key: string;
  readonly bot: number;
  readonly giveUpMs: number;
}

const LOOP_MS = 1000;

const entry = JSON.parse(process.argv[2]!) as Entry;
const token = `${entry.bot}:benchbenchbenchbenchbenchbenchbench`;
const show = { sluice: throughSluice, loop: onceASecond, throttler: atEveryWord }[entry.way];
const known: Known[] = ANSWERS.map(({ place }) => ({ place, at: [] }));
const all = Promise.all(ANSWERS.map((answer, i) => show(answer, known[i]!.at as number[])));
await Promise.race([all, pause(entry.giveUpMs)]);
tell(known);

async function throughSluice({ place, words }: Answer, at: number[]): Promise<void> {
  const pool = new Pool(entry.url, { connections: 1 });
  const headers = {
    authorization: `Bearer ${entry.key}`,
    'content-type': 'application/json',
  };
  const call = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const reply = await pool.request({ method, path, headers, body: JSON.stringify(body) });
    const answer = (await reply.body.json()) as { id: string };
    if (reply.statusCode >= 300) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const { chat, thread } = place;
  const to = { platform: 'telegram', account: token, chat, ...(thread === null ? {} : { thread }) };
  const { id } = await call('POST', '/v1/streams', { to });
  await writing(words, at, (n) => call('PATCH', `/v1/streams/${id}`, { append: wordOf(n) }));
  await call('POST', `/v1/streams/${id}/final`, {});
}

async function onceASecond(answer: Answer, at: number[]): Promise<void> {
  const screen = await openScreen(answer, [autoRetry()]);
  const written = writing(answer.words, at, () => Promise.resolve());
  for (let shown = 0; shown < answer.words; ) {
    await pause(LOOP_MS);
    if (at.length === shown) continue;
    shown = at.length;
    await screen(shown);
  }
  await written;
}

async function atEveryWord(answer: Answer, at: number[]): Promise<void> {
  const screen = await openScreen(answer, [autoRetry(), apiThrottler()]);
  const edits: Promise<unknown>[] = [];
  await writing(answer.words, at, async (n) => edits.push(screen(n + 1)));
  await Promise.all(edits);
}

// A message that shows so many words.
async function openScreen({ place }: Answer, helpers: Parameters<Api['config']['use']>) {
  const api = new Api(token, { apiRoot: entry.url });
  for (const helper of helpers) api.config.use(helper);
  const { chat, thread } = place;
  const options = thread === null ? {} : { message_thread_id: thread };
  const { message_id } = await api.sendMessage(chat, '…', options);
  return (words: number) => api.editMessageText(chat, message_id, textOf(words)).catch(() => null);
}

// Word after word at its time, whatever becomes of it.
async function writing(words: number, at: number[], write: (n: number) => Promise<unknown>) {
  const began = Date.now();
  for (let n = 0; n < words; n++) {
    await pause(began + n * WORD_EVERY_MS - Date.now());
    at.push(Date.now());
    await write(n);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}
