// One chat of the simulator: what was said, a line to write as the person there, and trouble to make on purpose.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, pathOf } from '../../lib/api.ts';
import { exactTime } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { firstClick } from '../../lib/hooks/use-once.ts';
import { may } from '../../lib/session-store.ts';
import type { SandboxMessage } from '../../lib/wire/more.ts';
import { Answered, Empty } from '../../ui/states.tsx';
import { attempt } from '../../ui/toast.tsx';

const REFUSED_S = 60;

interface Talk {
  readonly isBlocked: boolean;
  readonly messages: readonly SandboxMessage[];
}

interface Props {
  readonly account: string;
  readonly chat: string;
  readonly mark: number | null;
  readonly onWrite: () => Promise<void>;
}

export function SandboxChat({ account, chat, mark, onWrite }: Props) {
  const path = pathOf('/v1/sandbox/messages', { account, chat });
  const { data, error, reload } = useFetched<Talk>(path, mark);
  const bubbles = useRef<HTMLElement>(null);
  const last = data?.messages.at(-1);
  // What is new stands at the end; only the chat itself is scrolled there.
  useEffect(() => {
    const element = bubbles.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [last?.id, last?.text]);
  const write = (text: string) =>
    attempt(async () => {
      const said = { account, chat, text };
      const { to } = await ask<{ to: string }>('POST', '/v1/sandbox/messages', said);
      await reload();
      await onWrite();
      return to === 'forwarded'
        ? 'The app gets it now.'
        : 'The bot gets it with its next getUpdates.';
    });
  return (
    <section class="panel sandbox-chat" aria-label={`Chat ${chat}`}>
      <header class="panel-head">
        <h2>
          Chat <span class="mono">{chat}</span> with <span class="mono">{account}</span>
        </h2>
        {may('operator') ? (
          <Mischief {...{ account, chat, reload }} isBlocked={data?.isBlocked ?? null} />
        ) : null}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <section ref={bubbles} class="bubbles" aria-label="Messages" tabIndex={0}>
        <Answered to={{ data, error, reload }}>
          {(data) =>
            data.messages.length === 0 ? (
              <Empty title="Nothing was said here">
                Say something: the bot will get it as an update.
              </Empty>
            ) : (
              data.messages.map((message) => <Bubble key={message.id} message={message} />)
            )
          }
        </Answered>
      </section>
      {may('sender') ? <Writing write={write} /> : null}
    </section>
  );
}

function Bubble({ message }: { message: SandboxMessage }) {
  const { fromBot, text, at, isDeleted, thread } = message;
  return (
    <p class={fromBot ? 'bubble of-bot' : 'bubble of-person'} title={exactTime(at)}>
      <span class="hidden">{fromBot ? 'The bot: ' : 'You: '}</span>
      {thread === null ? null : <span class="small dim">topic {thread}</span>}
      {isDeleted ? <i class="dim">deleted</i> : text ? text : <i>no text to see</i>}
    </p>
  );
}

function Writing({ write }: { write: (text: string) => Promise<boolean> }) {
  const [text, setText] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const said = text.trim();
    if (said === '') return;
    // At once: what is typed while it is on its way is the next line. What did not arrive comes back, if there is none.
    setText('');
    if (!(await write(said))) setText((now) => (now === '' ? said : now));
  };
  return (
    <form class="writing" onSubmit={(event) => void submit(event)}>
      <input
        type="text"
        aria-label="Write as the person in this chat"
        placeholder="Write as the person in this chat"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={text.trim() === ''}>
        Send
      </button>
    </form>
  );
}

interface MischiefProps {
  readonly account: string;
  readonly chat: string;
  // null: not known yet.
  readonly isBlocked: boolean | null;
  readonly reload: () => Promise<void>;
}

function Mischief({ account, chat, isBlocked, reload }: MischiefProps) {
  const make = (body: object, told: string) =>
    void attempt(async () => {
      await ask('POST', '/v1/sandbox/chats', { account, chat, ...body });
      await reload();
      return told;
    });
  const toggle = () =>
    isBlocked
      ? make({ state: 'open' }, 'The person lets the bot in again.')
      : make({ state: 'blocked' }, 'The person has blocked the bot.');
  return (
    <span class="actions">
      <button
        type="button"
        onClick={() =>
          make({ freezeSeconds: REFUSED_S }, `For ${REFUSED_S} s the platform refuses this chat.`)
        }
      >
        Refuse for {REFUSED_S} s
      </button>
      <button type="button" disabled={isBlocked === null} onClick={firstClick(toggle)}>
        {isBlocked ? 'Blocked: unblock the bot' : 'Block the bot'}
      </button>
    </span>
  );
}
