// The whole page: the door for those who are not in, else the menu and the screen the address names.

import { useEffect } from 'preact/hooks';
import { listenToKeys } from './lib/keys.ts';
import { startLive } from './lib/live.ts';
import { route } from './lib/route.ts';
import { followRows } from './lib/rows.ts';
import { session } from './lib/session-store.ts';
import { useStore } from './lib/store.ts';
import { AddAccountDialogs } from './screens/accounts/add-account.tsx';
import { FreezeDialogs } from './screens/accounts/freezing.tsx';
import { LimitDialogs } from './screens/accounts/limit-form.tsx';
import { Edits } from './screens/dead/edit-letter.tsx';
import { KeyDialogs } from './screens/keys/key-dialogs.tsx';
import { SCREENS } from './screens.ts';
import { Shell } from './shell.tsx';
import { help, SHORTCUTS, ShortcutHelp } from './shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { Questions } from './ui/dialog.tsx';
import { Empty, Loading } from './ui/states.tsx';
import { Toasts } from './ui/toast.tsx';

export function App() {
  const who = useStore(session);
  switch (who.kind) {
    case 'asking':
      return (
        <main class="door">
          <Loading />
        </main>
      );
    case 'out':
      return <SignIn why={who.why} />;
    case 'in':
      return <Inside />;
  }
}

function Inside() {
  const { screen, rest } = useStore(route);
  const isHelping = useStore(help);
  useEffect(startLive, []);
  useEffect(() => listenToKeys(SHORTCUTS), []);
  useEffect(followRows, []);
  const entry = SCREENS.find(({ path }) => path === screen);
  const title = entry?.title ?? 'Nothing here';
  useEffect(() => {
    document.title = `${title} · Sluice`;
    document.getElementById('main')?.scrollTo({ top: 0 });
  }, [title, rest]);
  const Shown = entry?.screen;
  return (
    <>
      <Shell at={screen}>
        {Shown === undefined ? (
          <Empty title="There is no such screen">The menu leads to all there are.</Empty>
        ) : (
          <Shown key={screen} />
        )}
      </Shell>
      {isHelping ? <ShortcutHelp /> : null}
      <Edits />
      <FreezeDialogs />
      <LimitDialogs />
      <KeyDialogs />
      <AddAccountDialogs />
      <Questions />
      <Toasts />
    </>
  );
}
