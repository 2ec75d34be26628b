import { expect, test } from 'vitest';
import type { StoredStream } from '../store/ports/streams.ts';
import { JournalUnavailable } from '../store/ports/unavailable.ts';
import { streamOf } from './record.ts';
import { aNewStream } from './stream-state.fixture.ts';
import { Stream } from './stream-state.ts';
import { StreamWriter } from './writer.ts';

// A store whose saves end when the test says so.
function slowStore() {
  const saves: { stored: StoredStream; end: PromiseWithResolvers<void> }[] = [];
  const writer = new StreamWriter({
    save(stored) {
      const end = Promise.withResolvers<void>();
      saves.push({ stored, end });
      return end.promise;
    },
  });
  return { writer, saves };
}

function aStream(): Stream {
  return new Stream('s-1', aNewStream(), 'edit', 1000);
}

function append(stream: Stream, text: string, isLazy = false): void {
  stream.apply({ change: { kind: 'append', text }, isLazy });
}

test('many changes while the disk is busy are one save', async () => {
  const { writer, saves } = slowStore();
  const stream = aStream();
  append(stream, 'a');
  const first = writer.save(stream);
  append(stream, 'b');
  const second = writer.save(stream);
  append(stream, 'c');
  const third = writer.save(stream);
  saves[0]!.end.resolve();
  await first;
  expect(stream.durable).toBe('a');
  await Promise.resolve();
  saves[1]!.end.resolve();
  await Promise.all([second, third]);
  expect(stream.durable).toBe('abc');
  expect(saves.map(({ stored }) => stored.text)).toEqual(['a', 'abc']);
  expect(writer.pending).toEqual([]);
});

test('a text that is being saved is not saved again', async () => {
  const { writer, saves } = slowStore();
  const stream = aStream();
  await writer.saveText(stream);
  append(stream, 'a');
  void writer.save(stream);
  const saved = writer.saveText(stream);
  saves[0]!.end.resolve();
  await saved;
  expect(saves).toHaveLength(1);
});

test('what the store refused never was, unless nobody waited for it', async () => {
  const { writer, saves } = slowStore();
  const stream = aStream();
  append(stream, 'a');
  append(stream, 'l', true);
  const refused = writer.save(stream);
  append(stream, 'b');
  const taken = writer.save(stream);
  saves[0]!.end.reject(new JournalUnavailable('disk_full', ''));
  await expect(refused).rejects.toThrow(JournalUnavailable);
  expect(stream.text).toBe('lb');
  await Promise.resolve();
  saves[1]!.end.resolve();
  await taken;
  expect([stream.durable, stream.ops]).toEqual(['lb', []]);
});

test('a record holds all that a new process needs', async () => {
  const { writer, saves } = slowStore();
  const stream = aStream();
  append(stream, 'text');
  const changes = {
    state: 'finishing',
    reason: 'producer_silent',
    transport: 'chunks',
    parts: [{ seq: 7, messageId: '70', digest: 'd', isLost: false }],
    made: 1,
    cuts: [2],
    finals: [{ seq: 8, part: 0 }],
    resent: [0],
    changedAt: 2000,
    shownUnits: 3,
    superseded: 4,
  } as const;
  Object.assign(stream, changes);
  void writer.save(stream);
  const found = streamOf(saves[0]!.stored)!;
  expect(found).toMatchObject({ id: 's-1', asked: aNewStream(), openedAt: 1000, ...changes });
  expect([found.text, found.durable, found.ops]).toEqual(['text', 'text', []]);
});
