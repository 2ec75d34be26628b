// Live output as its port describes it, in memory and without a chat: texts grow, and come to their end when a test
// says so.

import type {
  CutReason,
  Fed,
  Live,
  NewStream,
  OpenedStream,
  StreamChange,
  StreamView,
} from '../../streams/streams.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class FakeLive implements Live {
  readonly streams = new Map<string, Mutable<StreamView>>();
  readonly opened: NewStream[] = [];
  // Every change that was taken, in order.
  readonly changes: (StreamChange & { lazy: boolean })[] = [];
  readonly #listeners = new Set<(view: StreamView) => void>();
  readonly #waits = new Map<string, (view: StreamView) => void>();
  streamsMax = 3;
  unitsMax = 1000;
  failure: Error | null = null;
  isQueueFull = false;
  // Told of each change before it is taken; the taking waits for it.
  onChange: (change: StreamChange) => Promise<void> | void = () => {};
  onFinal: (id: string) => void = () => {};
  onWait: () => void = () => {};
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async open(stream: NewStream): Promise<OpenedStream> {
    const before = this.opened.findIndex(({ key }) => key !== undefined && key === stream.key);
    if (before >= 0) {
      const view = this.streams.get(`stream${before + 1}`)!;
      if (view.format !== stream.format) return { kind: 'conflict', id: view.id };
      return { kind: 'repeated', view };
    }
    if (this.list().length >= this.streamsMax) return { kind: 'full', streamsMax: this.streamsMax };
    this.opened.push(stream);
    const { account, platform, chat, thread, session, format } = stream;
    const at = this.#now();
    const id = `stream${this.opened.length}`;
    const view = {
      ...{ account, platform, chat, thread, session, format },
      id,
      correlation: stream.correlation ?? id,
      state: 'open' as const,
      reason: null,
      transport: stream.transport ?? ('edit' as const),
      units: 0,
      shownUnits: 0,
      messages: [],
      finals: [],
      openedAt: at,
      changedAt: at,
      endedAt: null,
      cadenceMs: null,
      superseded: 0,
      waitsFor: null,
      text: '',
      holder: stream.holder ?? null,
      follows: stream.follows ?? null,
      isObserved: stream.isObserved ?? false,
      idleMs: stream.idleMs,
    };
    this.streams.set(view.id, view);
    return { kind: 'opened', view };
  }

  async change(id: string, change: StreamChange, lazy?: 'lazy'): Promise<Fed> {
    await this.onChange(change);
    if (this.failure !== null) throw this.failure;
    return this.#take(id, change, lazy !== undefined);
  }

  async final(id: string, change: StreamChange | null, cut?: CutReason): Promise<Fed> {
    this.onFinal(id);
    if (this.failure !== null) throw this.failure;
    if (this.isQueueFull) return { kind: 'queue_full', queueMax: 10 };
    const fed = this.#take(id, change, false);
    if (fed.kind !== 'taken') return fed;
    return { kind: 'taken', view: this.#move(id, 'finishing', cut ?? null) };
  }

  async cancel(id: string): Promise<Fed> {
    const fed = this.#take(id, null, false);
    return fed.kind === 'taken' ? { kind: 'taken', view: this.#move(id, 'cancelled', null) } : fed;
  }

  async get(id: string): Promise<StreamView | null> {
    const stream = this.streams.get(id);
    return stream === undefined ? null : { ...stream };
  }

  list(): StreamView[] {
    return [...this.streams.values()].filter(({ state }) => state === 'open');
  }

  get openCount(): number {
    return this.list().length;
  }

  ended(id: string, signal: AbortSignal): Promise<StreamView | null> {
    return new Promise((resolve, reject) => {
      this.#waits.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
      this.onWait();
    });
  }

  listen(listener: (view: StreamView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // As the watchdog does.
  async fallSilent(id: string): Promise<void> {
    this.#move(id, 'finishing', 'producer_silent');
  }

  arrive(id: string): void {
    this.#waits.get(id)?.(this.#move(id, 'done', null));
  }

  #take(id: string, change: StreamChange | null, lazy: boolean): Fed {
    const stream = this.streams.get(id);
    if (stream === undefined) return { kind: 'unknown' };
    if (stream.state !== 'open') return { kind: 'ended', view: stream };
    if (change === null) return { kind: 'taken', view: stream };
    const text = change.kind === 'append' ? stream.text + change.text : change.text;
    if (text.length > this.unitsMax) return { kind: 'too_long', unitsMax: this.unitsMax };
    this.changes.push({ ...change, lazy });
    Object.assign(stream, { text, units: text.length });
    this.#announce(stream);
    return { kind: 'taken', view: stream };
  }

  #move(id: string, state: StreamView['state'], reason: string | null): StreamView {
    const stream = Object.assign(this.streams.get(id)!, { state, reason });
    if (state === 'finishing') stream.finals = [stream.units];
    this.#announce(stream);
    return stream;
  }

  // As it is now, whatever becomes of it.
  #announce(stream: StreamView): void {
    for (const listener of this.#listeners) listener({ ...stream });
  }
}
