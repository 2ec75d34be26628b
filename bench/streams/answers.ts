// The answers everyone shows: a word every tenth of a second, as a language model writes them. Six in private chats,
// six in the topics of one group. What is asked for is the same for all; how it is shown is up to each.

export interface Place {
  readonly chat: number;
  readonly thread: number | null;
}

export interface Answer {
  readonly place: Place;
  readonly words: number;
}

// When each word was known, in ms since the epoch, in order.
export interface Known {
  readonly place: Place;
  readonly at: readonly number[];
}

export const WORD_EVERY_MS = 100;
const GROUP = -1_001_000_000_000;
const PRIVATE_MS = 20_000;
const GROUP_MS = 60_000;

export const ANSWERS: readonly Answer[] = [
  ...range(6).map((i) => ({
    place: { chat: 1 + i, thread: null },
    words: PRIVATE_MS / WORD_EVERY_MS,
  })),
  ...range(6).map((i) => ({
    place: { chat: GROUP, thread: 2 + i },
    words: GROUP_MS / WORD_EVERY_MS,
  })),
];

export function wordOf(n: number): string {
  return `w${n} `;
}

export function textOf(words: number): string {
  return range(words).map(wordOf).join('');
}

// How many words a text shows.
export function wordsIn(text: string): number {
  return text.split(' ').filter((word) => /^w\d+$/.test(word)).length;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
