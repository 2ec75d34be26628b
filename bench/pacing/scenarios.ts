// What a bot does, written once for every contestant: only grammY's `Api` is given. A scenario asks for messages in
// an order and never waits for one before it asks for the next; what became of them is read from the simulator.

import type { Api } from 'grammy';

export interface Asked {
  readonly chat: number;
  readonly thread: number | null;
  readonly text: string;
  // The last text of a live answer: it must arrive, last, and soon.
  readonly isFinal: boolean;
  // Previews may be skipped, everything else must arrive.
  readonly isPreview: boolean;
  // Milliseconds since the epoch.
  readonly askedAt: number;
}

export interface Scenario {
  readonly name: string;
  // How many messages go to each chat, for the least possible time; null: the answer itself sets the pace.
  readonly load: ReadonlyMap<number, number> | null;
  run(stage: Stage): Promise<void>;
}

// Resolves when every call that was asked for has been answered, well or badly, or the time is over.
export interface Stage {
  send(chat: number, text: string, thread?: number): Promise<number | null>;
  edit(chat: number, message: number, text: string, isFinal: boolean): Promise<unknown>;
  pause(ms: number): Promise<void>;
}

const GROUP = -1_001_000_000_000;
// Between two asks, and between two to the same chat: calls that leave together over connections of their own may
// overtake each other before anyone could put them in order.
const ASK_GAP_MS = 1;
const ROUND_GAP_MS = 250;
const EDIT_EVERY_MS = 250;

export const SCENARIOS: readonly Scenario[] = [
  bulk('900 people once', new Map(range(900).map((i) => [1 + i, 1]))),
  bulk('a group 40 times', new Map([[GROUP, 40]])),
  bulk(
    '150 people × 4, 5 groups × 10',
    new Map([
      ...range(150).map((i): [number, number] => [1 + i, 4]),
      ...range(5).map((i): [number, number] => [GROUP - i, 10]),
    ]),
  ),
  live('6 private live answers, 20 s', 20_000, (i) => ({ chat: 1 + i })),
  live('6 topics of a group live, 30 s', 30_000, (i) => ({ chat: GROUP, thread: 2 + i })),
];

// Round after round, one message to each chat that still gets one.
function bulk(name: string, load: ReadonlyMap<number, number>): Scenario {
  return {
    name,
    load,
    async run(stage) {
      const asked: Promise<unknown>[] = [];
      for (let round = 0; round < Math.max(...load.values()); round++) {
        for (const [chat, count] of load) {
          if (round >= count) continue;
          asked.push(stage.send(chat, `${round}`));
          await stage.pause(ASK_GAP_MS);
        }
        await stage.pause(ROUND_GAP_MS);
      }
      await Promise.all(asked);
    },
  };
}

function live(
  name: string,
  lastsMs: number,
  placeOf: (i: number) => { chat: number; thread?: number },
): Scenario {
  const answer = async (stage: Stage, place: { chat: number; thread?: number }) => {
    const message = await stage.send(place.chat, '0', place.thread);
    if (message === null) return;
    const edits: Promise<unknown>[] = [];
    const count = lastsMs / EDIT_EVERY_MS;
    for (let i = 1; i <= count; i++) {
      await stage.pause(EDIT_EVERY_MS);
      edits.push(stage.edit(place.chat, message, `${i}`, i === count));
    }
    await Promise.all(edits);
  };
  return {
    name,
    load: null,
    run: async (stage) => {
      await Promise.all(range(6).map((i) => answer(stage, placeOf(i))));
    },
  };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

// Writes down what is asked for as it is asked.
export function stageOf(api: Api, notes: Asked[]): Stage {
  const threads = new Map<string, number>();
  return {
    async send(chat, text, thread) {
      const note = { chat, thread: thread ?? null, text, isFinal: false, isPreview: false };
      notes.push({ ...note, askedAt: Date.now() });
      const options = thread === undefined ? {} : { message_thread_id: thread };
      const sent = await api.sendMessage(chat, text, options).catch(() => null);
      if (sent !== null && thread !== undefined) threads.set(`${chat}/${sent.message_id}`, thread);
      return sent?.message_id ?? null;
    },
    edit(chat, message, text, isFinal) {
      const thread = threads.get(`${chat}/${message}`) ?? null;
      notes.push({ chat, thread, text, isFinal, isPreview: !isFinal, askedAt: Date.now() });
      return api.editMessageText(chat, message, text).catch(() => null);
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
