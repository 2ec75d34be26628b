import { expect, test } from 'vitest';
import { type Kept, NOT_OWNER, type Owner } from '../store/ports/ownership.ts';
import type { StoredStream } from '../store/ports/streams.ts';
import { JournalUnavailable, TakenOver } from '../store/ports/unavailable.ts';
import { streamOf } from './record.ts';
import { aNewStream } from './stream-state.fixture.ts';
import { Stream } from './stream-state.ts';
import { StreamWriter } from './writer.ts';

const KEPT: Kept = { kind: 'kept' };

// A store whose saves end when the test says so.
function slowStore() {
  const saves: { owner: Owner; stored: StoredStream; end: PromiseWithResolvers<Kept> }[] = [];
  const lost: Stream[] = [];
  const save = (owner: Owner, stored: StoredStream) => {
    const end = Promise.withResolvers<Kept>();
    saves.push({ owner, stored, end });
    return end.promise;
  };
  const writer = new StreamWriter({ save }, (stream) => lost.push(stream));
  return { writer, saves, lost };
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
  saves[0]!.end.resolve(KEPT);
  await first;
  expect(stream.durable).toBe('a');
  await Promise.resolve();
  saves[1]!.end.resolve(KEPT);
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
  saves[0]!.end.resolve(KEPT);
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
  saves[1]!.end.resolve(KEPT);
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
  const asked = aNewStream({ correlation: 's-1' });
  expect(found).toMatchObject({ id: 's-1', asked, openedAt: 1000, ...changes });
  // Of before each had one.
  const former = saves[0]!.stored.record.replace('"correlation":"s-1"', '"correlation":null');
  expect(streamOf({ ...saves[0]!.stored, record: former })!.asked).toEqual(asked);
  expect([found.text, found.durable, found.ops]).toEqual(['text', 'text', []]);
});

test('what the store refuses has another owner: it is told once, and nothing more is written', async () => {
  const { writer, saves, lost } = slowStore();
  const stream = aStream();
  stream.epoch = 3;
  append(stream, 'late');
  const first = writer.save(stream);
  const second = writer.save(stream);
  expect(saves[0]).toMatchObject({ owner: { account: 'telegram:1', epoch: 3 } });
  stream.isLeft = true;
  saves[0]!.end.resolve(NOT_OWNER);
  await expect(first).rejects.toThrow(TakenOver);
  expect([lost, stream.text, saves.length]).toEqual([[stream], '', 1]);
  await expect(second).rejects.toThrow(TakenOver);
});
