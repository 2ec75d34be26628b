// A command of ours that asks this gateway, as it can be typed where the gateway was started.

import { origin } from '../lib/browser.ts';

// Where the command line looks by itself.
const HOST_DEFAULT = '127.0.0.1:8080';

export function Command({ words, before = '' }: { words: string; before?: string }) {
  const where = origin().endsWith(`//${HOST_DEFAULT}`) ? '' : ` --url ${origin()}`;
  return (
    <code>
      {before}npx sluice {words}
      {where}
    </code>
  );
}
