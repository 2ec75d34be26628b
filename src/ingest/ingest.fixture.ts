// A service of ingest on a virtual clock, a store in memory, and a reader that answers what a test says.

import type {
  Changes,
  Channel,
  ChannelReader,
  HistoryPage,
  MediaPiece,
  Read,
  ReaderAccount,
  ReadPost,
} from '../platforms/history.ts';
import { createMemoryDisk, createMemoryStore, type MemoryDisk } from '../store/memory/memory.ts';
import type { IngestStore } from '../store/ports/ingest.ts';
import { Periodic } from '../system/periodic.ts';
import { seededRandom } from '../system/random.ts';
import { type VirtualClock, virtualClock } from '../system/virtual-clock.ts';
import { INGEST_DEFAULTS, Ingest, type IngestEvent, type IngestSettings } from './ingest.ts';
import type { SendingAccounts } from './readers.ts';

export const START = 1_760_000_000_000;
export const KIND = 'model';
// Its posts come by themselves.
export const PUSHED = 'pushed';

export function aPost(id: number, changes: Partial<ReadPost> = {}): ReadPost {
  const content = { text: `post ${id}`, author: null, groupId: null, media: [] };
  return { id: String(id), date: START - 1_000, editedAt: null, ...content, ...changes };
}

export const posts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => aPost(from + i));

export function aPage(
  of: readonly ReadPost[],
  changes: Partial<HistoryPage> = {},
): Read<HistoryPage> {
  const newestId = of.at(-1)?.id ?? '0';
  return { kind: 'read', value: { posts: of, newestId, mark: '1', ...changes } };
}

export function someChanges(
  changes: Partial<Extract<Changes, { kind: 'changes' }>> = {},
): Read<Changes> {
  const none = { posts: [], deleted: [], mark: '1', isLast: true, notBeforeMs: 0 };
  return { kind: 'read', value: { kind: 'changes', ...none, ...changes } };
}

export interface Call {
  readonly account: string | null;
  readonly method: string;
  readonly of: unknown;
  readonly at: number;
}

// What the reader answers; what is left out is a quiet channel without posts.
export interface Answers {
  resolve(name: string, account: string | null): Promise<Read<Channel>> | Read<Channel>;
  history(after: string, channel: Channel): Promise<Read<HistoryPage>> | Read<HistoryPage>;
  changes(mark: string): Promise<Read<Changes>> | Read<Changes>;
  byId(ids: readonly string[]): Promise<Read<readonly ReadPost[]>> | Read<readonly ReadPost[]>;
  download(reference: string, offset: number): Read<MediaPiece>;
}

export interface ServiceOptions {
  readonly answers?: Partial<Answers>;
  readonly settings?: Partial<IngestSettings>;
  readonly disk?: MemoryDisk;
  // Of several services at a time; left out: one on the disk, which nobody else has then.
  readonly store?: IngestStore;
  readonly clock?: VirtualClock;
  readonly accounts?: readonly ReaderAccount[] | null;
  readonly node?: string;
  readonly token?: string;
  readonly nodes?: () => readonly string[];
  readonly publish?: (word: string) => void;
  // Its accounts send, too.
  readonly sending?: SendingAccounts;
  // `never`: its connections do not come about.
  readonly opens?: 'never';
}

export function aService(options: ServiceOptions = {}) {
  const { clock = virtualClock(START), disk = createMemoryDisk(), accounts = null } = options;
  const { node = 'one', token = 'token one', nodes, publish, sending } = options;
  const calls: Call[] = [];
  const events: IngestEvent[] = [];
  let closed = 0;
  const answers: Answers = {
    resolve: (name) => {
      const channel = { id: `id of ${name}`, access: null, name, title: name };
      return { kind: 'read', value: channel };
    },
    history: () => aPage([]),
    changes: () => someChanges(),
    byId: () => ({ kind: 'read', value: [] }),
    download: () => ({ kind: 'refused', reason: 'no_file', detail: 'no file' }),
    ...options.answers,
  };
  const open = async (account: ReaderAccount | null): Promise<ChannelReader> => {
    if (options.opens === 'never') await new Promise<never>(() => {});
    const note = (method: string, of: unknown) =>
      calls.push({ account: account?.id ?? null, method, of, at: clock.now() });
    return {
      resolve: async (name) => {
        note('resolve', name);
        return answers.resolve(name, account?.id ?? null);
      },
      history: async (channel, after) => {
        note('history', after);
        return answers.history(after, channel);
      },
      changes: async (_channel, mark) => {
        note('changes', mark);
        return answers.changes(mark);
      },
      byId: async (_channel, ids) => {
        note('by_id', ids);
        return answers.byId(ids);
      },
      download: async (reference, offset) => {
        note('download', offset);
        return answers.download(reference, offset);
      },
      close: async () => {
        closed += 1;
      },
    };
  };
  const service = new Ingest({
    store: options.store ?? createMemoryStore(disk).journal.ingest,
    clock,
    periodic: new Periodic(clock, () => {}),
    random: seededRandom(1),
    pools: [
      { kind: { kind: KIND, open }, accounts: async () => accounts, ...(sending && { sending }) },
      { kind: { kind: PUSHED, open, isPushed: true }, accounts: async () => null },
    ],
    settings: { ...INGEST_DEFAULTS, ...options.settings },
    ...{ node, token, ...(nodes && { nodes }), ...(publish && { publish }) },
    onEvent: (event) => events.push(event),
  });
  const made = (method: string) => calls.filter((call) => call.method === method);
  const run = (ms: number) => clock.run(clock.now() + ms);
  return { service, clock, disk, calls, events, made, answers, run, closed: () => closed };
}
