// What reason codes mean, in words: asked for once, when the first is shown.

import { useEffect } from 'preact/hooks';
import { ask } from './api.ts';
import { words } from './format.ts';
import { Store, useStore } from './store.ts';

interface Reasons {
  readonly reasons: Readonly<Record<string, string>>;
  // Those that say that a chat refuses the bot, whatever is sent.
  readonly unreachable: readonly string[];
}

const known = new Store<Reasons>({ reasons: {}, unreachable: [] });
let isAsked = false;

export function useReason(code: string): string {
  const said = useKnown().reasons[code];
  return said === undefined ? words(code) : said.replace(/\.$/, '');
}

export function useReachless(): readonly string[] {
  return useKnown().unreachable;
}

function useKnown(): Reasons {
  useEffect(() => void learn(), []);
  return useStore(known);
}

async function learn(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    known.set(await ask<Reasons>('GET', '/v1/reasons'));
  } catch {
    // The codes say it, too; the next one shown asks again.
    isAsked = false;
  }
}
