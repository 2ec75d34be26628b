// A text that grows as an agent writes it, piece by piece: the chat sees one message that grows at its pace.

import { ask } from '../../lib/api.ts';
import { later } from '../../lib/browser.ts';
import { count, plural } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf } from '../../lib/route.ts';
import { session } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { StreamView } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { deliveryHref, Meter } from '../../ui/parts.tsx';
import { attempt } from '../../ui/toast.tsx';
import { PlayCard } from './play-card.tsx';
import { FIRST_CHAT, openChat, showChat } from './play-run.ts';

const ANSWER = `You asked what happens between a bot and its chats. A platform takes about one message a second \
in a chat and twenty a minute in a group. Whoever sends more is refused, and whoever goes on is shut out for longer.

An agent that writes its answer word by word has far more to say than that. So Sluice always keeps the newest text, \
shows it as often as the chat allows, and leaves out what nobody would have had the time to read. What you see here \
is one message that is edited about once a second.

The end is never left out: when the answer is complete, all of it stands in the chat.`;
const PIECE_WORDS = 3;
const PIECES = piecesOf(ANSWER.split(' '));
const PIECE_MS = 250;
const SEEN =
  `An agent writes an answer in ${PIECES.length} pieces, four a second. ` +
  'In the chat one message grows about once a second, and its end always arrives.';
// A page that is closed in the middle writes no more; then what there is becomes the final.
const IDLE_S = 30;

// Outlives the screen: one may look at the stream elsewhere while it is written.
const written = new Store<{ id: string; isWriting: boolean } | null>(null);

export function StreamPlay() {
  const run = useStore(written);
  const path = run === null ? null : `/v1/streams/${encodeURIComponent(run.id)}`;
  const { data, error } = useFetched<StreamView>(path, useMark('streams'));
  const isGrowing = error === null && (data?.state === 'open' || data?.state === 'finishing');
  return (
    <PlayCard
      name="stream"
      seen={SEEN}
      without="each piece is a call of its own, and the platform refuses in the middle of the answer."
      isUnderWay={run?.isWriting === true || isGrowing}
      play={play}
    >
      {data === null ? null : <Progress stream={data} />}
    </PlayCard>
  );
}

function Progress({ stream }: { stream: StreamView }) {
  const { state, units, shownUnits, superseded, messages } = stream;
  const [first] = messages;
  return (
    <>
      <p class="num">
        <Badge word={state} /> {count(shownUnits)} of {count(units)} characters shown
      </p>
      <Meter share={units === 0 ? 0 : shownUnits / units} tone="good" label="shown" />
      <p class="small">{plural(superseded, 'piece')} went out together with a later one.</p>
      <footer class="links">
        <a href={hrefOf('streams')}>Open streams</a>
        {first === undefined ? null : <a href={deliveryHref(first.id)}>The message’s story</a>}
      </footer>
    </>
  );
}

function piecesOf(words: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(words.length / PIECE_WORDS) }, (_, n) => {
    const piece = words.slice(n * PIECE_WORDS, (n + 1) * PIECE_WORDS).join(' ');
    return n === 0 ? piece : ` ${piece}`;
  });
}

async function play(): Promise<void> {
  const account = await openChat(FIRST_CHAT);
  const to = { account, chat: FIRST_CHAT };
  // Not as a draft, which is in no history: the chat beside it is read from there.
  const order = { to, transport: 'edit', session: 'sandbox-stream', idle: IDLE_S };
  const { id } = await ask<StreamView>('POST', '/v1/streams', order);
  written.set({ id, isWriting: true });
  showChat(account, FIRST_CHAT);
  void write(id);
}

async function write(id: string): Promise<void> {
  const path = `/v1/streams/${encodeURIComponent(id)}`;
  await attempt(async () => {
    for (const append of PIECES) {
      if (session.value.kind !== 'in') return 'The answer ends here.';
      await ask('PATCH', path, { append });
      await new Promise<void>((resume) => later(PIECE_MS, resume));
    }
    await ask('POST', `${path}/final`, {});
    return 'The answer is complete.';
  });
  written.set({ id, isWriting: false });
}
