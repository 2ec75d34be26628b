// Whether the screen is as small as the style sheet takes for one.

import { Store } from './store.ts';

const query = matchMedia('(max-width: 760px)');

export const smallScreen = new Store(query.matches);

query.addEventListener('change', () => smallScreen.set(query.matches));
