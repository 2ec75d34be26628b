// A chat that the platform refuses for a while: its message waits out the time that was named, others pass it by.

import { hrefOf } from '../../lib/route.ts';
import { Badge } from '../../ui/badge.tsx';
import { deliveryHref } from '../../ui/parts.tsx';
import { PlayCard, WhyOf } from './play-card.tsx';
import { isWaiting, openChat, showChat, submitAll, useRun } from './play-run.ts';

const CORRELATION = 'sandbox-penalty';
const CHAT = '-1002';
const OTHER_CHATS = ['51', '52', '53'];
const REFUSED_S = 20;
const SEEN =
  `For ${REFUSED_S} s the platform answers a message to one group with 429. ` +
  'That chat alone is frozen, other chats go on, and the message arrives by itself afterwards.';

export function PenaltyPlay() {
  const { messages, reload } = useRun(CORRELATION, 1 + OTHER_CHATS.length);
  const refused = messages.find(({ chat }) => chat === CHAT);
  const others = messages.filter(({ chat, state }) => chat !== CHAT && state === 'sent').length;
  const play = async () => {
    await penalise();
    await reload();
  };
  return (
    <PlayCard
      name="penalty"
      seen={SEEN}
      without="it is lost, or tried again too early, and the bot is shut out for minutes."
      isUnderWay={messages.some(isWaiting)}
      play={play}
    >
      {refused === undefined ? null : (
        <>
          <p>
            Chat <span class="mono">{CHAT}</span>: <Badge word={refused.state} /> · {others} of{' '}
            {OTHER_CHATS.length} other chats have theirs
          </p>
          <WhyOf id={refused.id} isLive={isWaiting(refused)} />
          <footer class="links">
            <a href={hrefOf('chats', { account: refused.account, find: CHAT })}>The freeze</a>
            <a href={deliveryHref(refused.id)}>The message’s story</a>
          </footer>
        </>
      )}
    </PlayCard>
  );
}

async function penalise(): Promise<void> {
  const account = await openChat(CHAT, { freezeSeconds: REFUSED_S });
  await submitAll(account, CORRELATION, [
    { chat: CHAT, text: 'Refused at first, and here all the same' },
    ...OTHER_CHATS.map((chat) => ({ chat, text: 'Not held up by the others’ trouble' })),
  ]);
  showChat(account, CHAT);
}
