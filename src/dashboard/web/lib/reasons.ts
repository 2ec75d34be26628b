// What reason codes mean, in words: asked for once, when the first is shown.

import { useEffect } from 'preact/hooks';
import { ask } from './api.ts';
import { words } from './format.ts';
import { Store, useStore } from './store.ts';

const known = new Store<Readonly<Record<string, string>>>({});
let isAsked = false;

export function useReason(code: string): string {
  useEffect(() => void learn(), []);
  const said = useStore(known)[code];
  return said === undefined ? words(code) : said.replace(/\.$/, '');
}

async function learn(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    known.set((await ask<{ reasons: Record<string, string> }>('GET', '/v1/reasons')).reasons);
  } catch {
    // The codes say it, too; the next one shown asks again.
    isAsked = false;
  }
}
