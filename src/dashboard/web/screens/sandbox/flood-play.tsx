// Far more messages than one group may get, all at once: they go out at its pace, and none is refused.

import { count } from '../../lib/format.ts';
import { hrefOf } from '../../lib/route.ts';
import { deliveryHref, Meter } from '../../ui/parts.tsx';
import { PlayCard, WhyOf } from './play-card.tsx';
import { isWaiting, openChat, refusals, showChat, submitAll, useRun } from './play-run.ts';

const CORRELATION = 'sandbox-flood';
const CHAT = '-1001';
// Twice what a group takes in a minute.
const MESSAGES = 40;
const SEEN =
  `${MESSAGES} messages for one group are handed over at once. ` +
  'They go out as fast as the platform takes them there, and it refuses none.';

export function FloodPlay() {
  const { messages, reload } = useRun(CORRELATION, MESSAGES);
  const waiting = messages.filter(isWaiting);
  const sent = messages.filter(({ state }) => state === 'sent').length;
  const refused = messages.reduce((sum, message) => sum + refusals(message), 0);
  const [newest] = messages;
  // They are listed newest first.
  const next = waiting.at(-1) ?? null;
  const play = async () => {
    await flood();
    await reload();
  };
  return (
    <PlayCard
      name="flood"
      seen={SEEN}
      without="the platform takes the first few and refuses the rest; each further try makes the ban longer."
      isUnderWay={waiting.length > 0}
      play={play}
    >
      {newest === undefined ? null : (
        <>
          <p class="num">
            {count(sent)} sent · {count(waiting.length)} waiting · {count(refused)} refused
          </p>
          <Meter share={sent / messages.length} tone="good" label="sent" />
          {next === null ? null : <WhyOf id={next.id} isLive />}
          <footer class="links">
            <a href={hrefOf('messages', { account: newest.account, chat: CHAT })}>All of them</a>
            {next === null ? null : <a href={deliveryHref(next.id)}>Why the next one waits</a>}
          </footer>
        </>
      )}
    </PlayCard>
  );
}

async function flood(): Promise<void> {
  const account = await openChat(CHAT);
  const texts = Array.from({ length: MESSAGES }, (_, n) => `Message ${n + 1} of ${MESSAGES}`);
  await submitAll(
    account,
    CORRELATION,
    texts.map((text) => ({ chat: CHAT, text })),
  );
  showChat(account, CHAT);
}
