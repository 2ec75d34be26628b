// Changes that cannot be applied to copies are on record for each observer: of an album's other messages, and of more
// changes than may wait.

import { expect, test } from 'vitest';
import { aDelivery } from '../domain/delivery.fixture.ts';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Platform } from '../platforms/platform.ts';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { FakeRoad } from '../road/road.fixture.ts';
import type { AskedRoad } from '../road/road.ts';
import { createMemoryStore } from '../store/memory/memory.ts';
import { virtualClock } from '../system/virtual-clock.ts';
import { FollowUps } from './follow-up.ts';

const ALBUM = '{"ok":true,"result":[{"message_id":77},{"message_id":78},{"message_id":79}]}';
const OBSERVERS = ['200', '300'];

// An album of three that was sent to chat 100 and to two observers.
async function start(bounds: { followingMax?: number; leftOutMax?: number } = {}) {
  const { journal, ledger } = createMemoryStore();
  const road = new FakeRoad(journal);
  const telegram: Platform = createTelegram({ transport: null as never });
  const platforms = new Map([['telegram', telegram]]);
  const warned: object[] = [];
  const note = (fields: object) => void warned.push(fields);
  const followUps = new FollowUps(
    {
      ...{ clock: virtualClock(2_000), ledger, tag: journal.tag, platforms, ...bounds },
      log: { warn: note, error: note },
    },
    road as unknown as AskedRoad,
  );
  const album = aDelivery({ chat: '100', method: 'sendMediaGroup', cost: 3 });
  const copies = OBSERVERS.map((chat) => ({ ...album, chat, copyOf: 1 }));
  for (const each of [album, ...copies]) {
    const appended = await followUps.submit(each);
    if (appended.kind !== 'accepted') throw new Error(appended.kind);
    await road.die(appended.queued.seq, '', 'sent', ALBUM);
  }
  return { followUps, ledger, warned };
}

function captioned(message_id: number, caption = 'new'): NewDelivery {
  const body = JSON.stringify({ chat_id: 100, message_id, caption });
  return aDelivery({ chat: '100', method: 'editMessageCaption', family: 'edit', body });
}

const notPossible = (detail: string) =>
  OBSERVERS.map((chat) => ({
    ...{ account: 'telegram:1', chat },
    receipt: expect.objectContaining({ state: 'cancelled', reason: 'not_possible', detail }),
  }));

test.each([78, 79])(
  'message %i of an album is not followed, as each observer is told',
  async (id) => {
    const { followUps, ledger } = await start();
    const edit = captioned(id);
    const appended = await followUps.submit(edit);
    const why = 'of an album only the first message is followed';
    expect(await followUps.of(edit)).toEqual(notPossible(why));
    const seq = appended.kind === 'accepted' ? appended.queued.seq : 0;
    const origin = await ledger.get(seq);
    const page = { limit: 10, after: 0 };
    const records = await ledger.search({ state: 'cancelled', reason: 'not_possible' }, page);
    expect(records.map(({ chat }) => chat)).toEqual(OBSERVERS);
    expect(records.map(({ correlation }) => correlation)).toEqual([origin!.id, origin!.id]);
  },
);

test('the first message of an album is followed, and one that came after it is of nobody', async () => {
  const { followUps } = await start();
  const edits = [captioned(77), captioned(80)];
  for (const edit of edits) await followUps.submit(edit);
  const [first, after] = await Promise.all(edits.map((edit) => followUps.of(edit)));
  expect(first!.map(({ receipt }) => 'state' in receipt && receipt.state)).toEqual([
    'queued',
    'queued',
  ]);
  expect(after).toEqual([]);
});

test('a change beyond those that may wait is on record, and one beyond that bound in the log alone', async () => {
  const { followUps, warned } = await start({ followingMax: 1, leftOutMax: 1 });
  const edits = ['a', 'b', 'c'].map((caption) => captioned(77, caption));
  await Promise.all(edits.map((edit) => followUps.submit(edit)));
  const [applied, recorded, lost] = await Promise.all(edits.map((edit) => followUps.of(edit)));
  expect(applied!.map(({ receipt }) => 'state' in receipt && receipt.state)).toEqual([
    'queued',
    'queued',
  ]);
  const why = 'too many changes were waiting to be applied to copies';
  expect(recorded).toEqual(notPossible(why));
  expect(lost).toEqual([]);
  expect(warned).toHaveLength(1);
});
