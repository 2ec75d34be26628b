import { describe, expect, test } from 'vitest';
import { Chat } from './chat.ts';
import { leaveRing } from './collections.ts';
import { FairRings } from './ready.ts';

const chats = (count: number) =>
  Array.from({ length: count }, (_, i) => new Chat(String(i), [0, 16, 4, 1]));

// Serves and puts back, as the account does.
function serve(turns: FairRings, count: number, isLong: (chat: Chat) => boolean): string[] {
  return Array.from({ length: count }, () => {
    const chat = turns.next()!;
    turns.served(chat);
    leaveRing(chat);
    turns.place(chat, isLong(chat));
    return chat.id;
  });
}

describe('turns', () => {
  test('go round', () => {
    const turns = new FairRings();
    for (const chat of chats(3)) turns.place(chat, false);
    expect(serve(turns, 6, () => false)).toEqual(['0', '1', '2', '0', '1', '2']);
  });

  test('are shared in halves with those that have a long way to go', () => {
    const turns = new FairRings();
    const isLong = (chat: Chat) => chat.id === '0';
    for (const chat of chats(4)) turns.place(chat, isLong(chat));
    const served = serve(turns, 600, isLong);
    for (const id of ['1', '2', '3'])
      expect(served.filter((each) => each === id)).toHaveLength(100);
    expect(served.filter((each) => each === '0')).toHaveLength(300);
  });

  test('nobody waits for a ring that is empty', () => {
    const turns = new FairRings();
    const [chat] = chats(1);
    turns.place(chat!, true);
    expect(serve(turns, 3, () => true)).toEqual(['0', '0', '0']);
    leaveRing(chat!);
    expect(turns.next()).toBeNull();
  });
});
