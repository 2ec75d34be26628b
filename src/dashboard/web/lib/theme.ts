// Light, dark, or as the system has it. Remembered for good.

import { memory } from './browser.ts';
import { Store } from './store.ts';

type Theme = 'system' | 'light' | 'dark';

const NAME = 'theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

export const theme = new Store<Theme>(readTheme());
// Counts up when colours change, for what is painted and not styled.
export const paint = new Store(0);

darkSystem.addEventListener('change', apply);
theme.follow((value) => {
  memory.set(NAME, value === 'system' ? null : value);
  apply();
});

function readTheme(): Theme {
  const kept = memory.get(NAME);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function isDark(): boolean {
  return theme.value === 'system' ? darkSystem.matches : theme.value === 'dark';
}

function nameNow(): 'dark' | 'light' {
  return isDark() ? 'dark' : 'light';
}

export function toggleTheme(): void {
  theme.set(isDark() ? 'light' : 'dark');
}

// Browsers do not always tell of a change, such as while nobody looks at the page.
export function followSystem(): void {
  if (document.documentElement.dataset.theme !== nameNow()) apply();
}

export function apply(): void {
  document.documentElement.dataset.theme = nameNow();
  paint.set(paint.value + 1);
}
