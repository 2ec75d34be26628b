// A world of ingest on a virtual clock: channels that live, a reader that is cut off and told to wait, and a process
// that dies before and after commits and is started again on the same disk. From one seed, and so again from the same.

import type { ChannelReader } from '../platforms/history.ts';
import { LivingChannel, ModelServer, NO_SERVER_FAULTS, type ServerFaults } from '../sim/sim.ts';
import { createMemoryDisk, createMemoryStore } from '../store/memory/memory.ts';
import type { IngestStore, StoredPost } from '../store/ports/ingest.ts';
import type { Clock } from '../system/clock.ts';
import { Periodic } from '../system/periodic.ts';
import { intBelow, type Random, seededRandom } from '../system/random.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { INGEST_DEFAULTS, Ingest, type IngestEvent } from './ingest.ts';

export const START = 1_760_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KIND = 'model';
const ACCOUNT = { id: '1', session: 'none' };

// What a fault in the code would do, to be caught; each stands between the code and a port.
export interface Broken {
  readonly reader?: (reader: ChannelReader) => ChannelReader;
  readonly store?: (store: IngestStore, maybeCrash: () => Promise<void>) => IngestStore;
}

export interface IngestWorldOptions {
  readonly seed: number;
  readonly abilities: { readonly changes: boolean; readonly byId: boolean };
  readonly crashes: number;
  readonly faults: ServerFaults;
  readonly broken?: Broken;
}

export interface IngestWorldEnd {
  readonly missing: string[];
  readonly extra: string[];
  readonly stale: string[];
  readonly twice: string[];
  readonly violations: number;
  readonly resolves: number;
  readonly crashes: number;
  readonly waits: number;
  readonly tooLong: number;
  readonly posts: number;
}

export async function runIngestWorld(options: IngestWorldOptions): Promise<IngestWorldEnd> {
  const world = new World(options);
  await world.live();
  return world.end();
}

class World {
  readonly #options: IngestWorldOptions;
  readonly #random: Random;
  readonly #clock = virtualClock(START);
  readonly #disk = createMemoryDisk();
  readonly #channels: Map<string, LivingChannel>;
  readonly #server: ModelServer;
  readonly #told = new Map<string, number>();
  #process = new Process();
  #isCalm = false;
  #crashes = 0;
  #tooLong = 0;

  constructor(options: IngestWorldOptions) {
    const { seed, faults, abilities } = options;
    this.#options = options;
    this.#random = seededRandom(seed);
    const channelOptions = {
      // Of one that is read by pages alone, they show posts and count no others.
      countsDeleted: this.#random.next() < 0.7 && abilities.byId,
      changesMax: 100,
      touchedNewest: abilities.changes ? 150 : 60,
    };
    const ports = { clock: this.#clock, random: this.#random };
    this.#channels = new Map(
      ['@one', '@two'].map((name) => [name, new LivingChannel(name, channelOptions, ports)]),
    );
    this.#server = new ModelServer({ ...ports, channels: this.#channels }, faults);
  }

  async live(): Promise<void> {
    const random = this.#random;
    for (const channel of this.#channels.values()) this.#happens(channel, intBelow(random, 300));
    await this.#begin();
    const until = START + 3 * HOUR_MS;
    while (this.#clock.now() < until) {
      await this.#clock.run(this.#clock.now() + random.next() * 8 * MINUTE_MS);
      for (const channel of this.#channels.values()) {
        // Now and then more than can be told at once.
        const burst = this.#options.abilities.changes ? 160 : 30;
        this.#happens(channel, random.next() < 0.08 ? burst : intBelow(random, 6));
      }
      if (!this.#process.isAlive) await this.#begin();
      else if (random.next() < this.#options.crashes) await this.#crash().then(() => this.#begin());
    }
    this.#isCalm = true;
    this.#server.faults = NO_SERVER_FAULTS;
    if (!this.#process.isAlive) await this.#begin();
    // The longest wait, an audit after it, and a look.
    await this.#clock.run(this.#clock.now() + 2.7 * HOUR_MS);
  }

  async end(): Promise<IngestWorldEnd> {
    const { journal } = createMemoryStore(this.#disk);
    const end = { missing: [], extra: [], stale: [] } as Record<
      'missing' | 'extra' | 'stale',
      string[]
    >;
    let posts = 0;
    for (const source of await journal.ingest.sources({ after: 0, max: 9 })) {
      const stored = await allPosts(journal.ingest, source.id);
      posts += stored.size;
      const there = this.#channels.get(source.name)!.posts();
      for (const post of there) {
        const name = `${source.name} ${post.id}`;
        const found = stored.get(post.id);
        if (found === undefined) end.missing.push(name);
        else if (found.deletedAt !== null || !isSame(found, post)) end.stale.push(name);
      }
      const ids = new Set(there.map(({ id }) => id));
      for (const { id, deletedAt } of stored.values()) {
        if (deletedAt === null && !ids.has(id)) end.extra.push(`${source.name} ${id}`);
      }
    }
    const twice = [...this.#told].filter(([, times]) => times > 1).map(([name]) => name);
    const { violations, resolves, waits } = this.#server;
    const counts = { crashes: this.#crashes, waits, tooLong: this.#tooLong, posts, resolves };
    return { ...end, twice, violations: violations.length, ...counts };
  }

  #happens(channel: LivingChannel, times: number): void {
    for (let i = 0; i < times; i++) {
      const dice = this.#random.next();
      if (dice < 0.6) channel.post();
      else if (dice < 0.8) channel.edit();
      // Sometimes so many neighbours that a page has nothing to show.
      else channel.remove(dice < 0.985 ? 1 : 130);
    }
  }

  async #crash(): Promise<void> {
    this.#process.isAlive = false;
    this.#crashes += 1;
  }

  async #begin(): Promise<void> {
    const process = new Process();
    this.#process = process;
    const maybeCrash = async () => {
      if (process.isAlive && !this.#isCalm && this.#random.next() < this.#options.crashes) {
        await this.#crash();
      }
      if (!process.isAlive) await new Promise<never>(() => {});
    };
    const hooks = { beforeApply: maybeCrash, afterApply: maybeCrash };
    const { ingest } = createMemoryStore(this.#disk, hooks).journal;
    const { store: wrapStore, reader: wrapReader } = this.#options.broken ?? {};
    const used = wrapStore?.(ingest, maybeCrash) ?? ingest;
    const store: IngestStore = {
      ...used,
      saveWait: async (wait) => {
        await used.saveWait(wait);
        this.#server.known(process);
      },
    };
    const reader = this.#reader(process);
    const clock = process.clock(this.#clock);
    const service = new Ingest({
      store,
      clock,
      periodic: new Periodic(clock, () => {}),
      random: this.#random,
      pools: [
        {
          kind: { kind: KIND, open: async () => wrapReader?.(reader) ?? reader },
          accounts: async () => [ACCOUNT],
        },
      ],
      settings: { ...INGEST_DEFAULTS, intervalMs: 2 * MINUTE_MS },
      node: 'host',
      token: String(this.#random.next()),
      onEvent: (event) => this.#hear(event),
    });
    void (async () => {
      await service.start();
      for (const name of this.#channels.keys()) await service.add(KIND, name);
    })();
    await this.#clock.run(this.#clock.now());
  }

  // A dead process calls nobody, and hears nothing.
  #reader(process: Process): ChannelReader {
    const reader = this.#server.reader(ACCOUNT.id, process, this.#options.abilities);
    const count = async (answer: ReturnType<NonNullable<typeof reader.changes>>) => {
      const read = await answer;
      if (read.kind === 'read' && read.value.kind === 'too_long') this.#tooLong += 1;
      return read;
    };
    const { changes, byId } = reader;
    return {
      resolve: (name) => process.hears(() => reader.resolve(name)),
      history: (...of) => process.hears(() => reader.history(...of)),
      ...(changes && { changes: (...of) => process.hears(() => count(changes(...of))) }),
      ...(byId && { byId: (...of) => process.hears(() => byId(...of)) }),
      close: async () => {},
    };
  }

  #hear(event: IngestEvent): void {
    if (event.kind === 'fault') throw event.error;
    if (event.kind !== 'posts') return;
    for (const id of event.ids) {
      const name = `${event.source} ${id}`;
      this.#told.set(name, (this.#told.get(name) ?? 0) + 1);
    }
  }
}

class Process {
  isAlive = true;

  async hears<T>(call: () => Promise<T>): Promise<T> {
    const answer = this.isAlive ? await call() : null;
    return answer === null || !this.isAlive ? new Promise<never>(() => {}) : answer;
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      schedule: (at, run) => clock.schedule(at, () => (this.isAlive ? run() : undefined)),
    };
  }
}

async function allPosts(store: IngestStore, source: number): Promise<Map<string, StoredPost>> {
  const found = new Map<string, StoredPost>();
  const query = { source, order: 'oldest', since: null, text: null, max: 500 } as const;
  for (let cursor: string | null = null; ; ) {
    const { posts, next } = await store.posts({ ...query, cursor });
    for (const post of posts) found.set(post.id, post);
    if (next === null) return found;
    cursor = next;
  }
}

function isSame(
  a: { text: string; editedAt: number | null; groupId: string | null; author: string | null },
  b: typeof a,
): boolean {
  return (
    a.text === b.text &&
    a.editedAt === b.editedAt &&
    a.groupId === b.groupId &&
    a.author === b.author
  );
}
