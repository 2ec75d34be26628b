// A state or a class as a small coloured word. Colour never says alone what the word does not.

import { words } from '../lib/format.ts';

const TONES: Readonly<Record<string, string>> = {
  sent: 'good',
  done: 'good',
  closed: 'good',
  running: 'good',
  active: 'good',
  open: 'cool',
  queued: 'cool',
  sending: 'cool',
  finishing: 'cool',
  uncertain: 'warn',
  half_open: 'warn',
  paused: 'warn',
  expired: 'warn',
  limited: 'warn',
  failed: 'bad',
  dead: 'bad',
  refused: 'bad',
  critical: 'bad',
  high: 'warn',
};

export function Badge({ word, tone }: { word: string; tone?: string }) {
  return <span class={`badge ${tone ?? TONES[word] ?? 'plain'}`}>{words(word)}</span>;
}
