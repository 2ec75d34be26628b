// Channels that are followed: all of them, one with its posts, one post with its former states.

import { overview } from '../../lib/live.ts';
import { route } from '../../lib/route.ts';
import { useStore } from '../../lib/store.ts';
import { Screen } from '../../ui/parts.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { PostScreen } from './post-detail.tsx';
import { SourceScreen } from './source-detail.tsx';
import { Sources } from './sources.tsx';

export function Ingest() {
  const { rest } = useStore(route);
  const now = useStore(overview);
  if (now === null) return <Loading />;
  if (now.ingest === null) return <SwitchedOff />;
  const [source = '', post] = rest.split('/');
  if (source === '') return <Sources />;
  if (post === undefined) return <SourceScreen key={source} id={source} />;
  return <PostScreen key={rest} source={source} id={post} />;
}

function SwitchedOff() {
  return (
    <Screen title="Ingest" hint="Channels that are followed, and their posts.">
      <Empty title="No channel is read here">
        Ingest is switched off. <code>SLUICE_INGEST=on</code> switches it on.
      </Empty>
    </Screen>
  );
}
