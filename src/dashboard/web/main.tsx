// Where the page begins.

import { render } from 'preact';
import { App } from './app.tsx';
import { resumeSession } from './lib/session.ts';
import { apply } from './lib/theme.ts';

apply();
render(<App />, document.getElementById('app') as HTMLElement);
void resumeSession();
