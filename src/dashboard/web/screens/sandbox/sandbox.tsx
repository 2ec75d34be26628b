// Chats of the built-in simulator, as the people in them see them: one reads what a bot wrote, and writes to it. A
// place to try things without an account anywhere, and above them what Sluice is for, at the press of a button.

import { useRef, useState } from 'preact/hooks';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { requery, route } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import type { SandboxMessage, SandboxView } from '../../lib/wire/more.ts';
import { Choice, TextField } from '../../ui/field.tsx';
import { Screen } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { notify } from '../../ui/toast.tsx';
import { FIRST_BOT, FIRST_CHAT } from './play-run.ts';
import { Plays } from './plays.tsx';
import { SandboxChat } from './sandbox-chat.tsx';

// Digits, with a letter or two before them on some platforms.
const CHAT_ID = /^(?:-?|[A-Z]{1,2})\d{1,20}$/;

export function Sandbox() {
  const { query } = useStore(route);
  const mark = useMark('deliveries');
  const first = useRef<SandboxMessage | null>(null);
  const { data, error, code, reload } = useFetched<SandboxView>('/v1/sandbox', mark);
  if (code === 'sandbox_off') return <SwitchedOff />;
  if (error !== null && data === null) return <Trouble error={error} retry={() => void reload()} />;
  if (data === null) return <Loading />;
  // The newest, as it was at first: what is said elsewhere meanwhile takes nobody from where he writes.
  first.current ??= data.chats[0] ?? null;
  const account = query.account ?? first.current?.account ?? data.bots[0] ?? FIRST_BOT;
  const chat = query.chat ?? first.current?.chat ?? FIRST_CHAT;
  return (
    <Screen
      title="Sandbox"
      hint="Tokens such as 1:sandbox talk to a simulated platform. Here you write as the people in its chats."
    >
      {may('operator') ? <Plays /> : null}
      <div class="sandbox">
        <ChatMenu bots={data.bots} chats={data.chats} account={account} chat={chat} />
        <SandboxChat
          key={`${account} ${chat}`}
          account={account}
          chat={chat}
          mark={mark}
          onWrite={reload}
        />
      </div>
    </Screen>
  );
}

// Where it last wrote or was written to.
function chatOf(chats: readonly SandboxMessage[], bot: string): string {
  return chats.find(({ account }) => account === bot)?.chat ?? FIRST_CHAT;
}

function SwitchedOff() {
  return (
    <Screen title="Sandbox" hint="A simulated platform, to try things without an account anywhere.">
      <Empty title="The sandbox is switched off here">
        It is off unless the gateway listens on this machine alone. <code>SLUICE_SANDBOX=on</code>
        {' switches it on; then anyone who can reach the gateway may use it.'}
      </Empty>
    </Screen>
  );
}

function ChatMenu(props: {
  bots: readonly string[];
  chats: readonly SandboxMessage[];
  account: string;
  chat: string;
}) {
  const { bots, chats, account, chat } = props;
  const [typed, setTyped] = useState('');
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    if (CHAT_ID.test(typed.trim())) requery({ account, chat: typed.trim() });
    else notify('A chat here has a number: 42, -100… for a group, or C42.', true);
  };
  return (
    <section class="panel sandbox-menu" aria-label="Chats of the simulator">
      <form class="panel-body" onSubmit={open}>
        {bots.length < 2 ? null : (
          <Choice
            label="Bot"
            value={account}
            options={bots.map((bot) => [bot, bot])}
            onChange={(bot) => requery({ account: bot, chat: chatOf(chats, bot) })}
          />
        )}
        <TextField
          label="Open a chat"
          value={typed}
          placeholder="42, -100… for a group, C42"
          onInput={setTyped}
        />
      </form>
      {chats.length === 0 ? (
        <Empty title="Nobody has said anything yet">Write to the bot, or let it write.</Empty>
      ) : (
        <ul>
          {chats.map((last) => (
            <li key={last.account + last.chat}>
              <button
                type="button"
                data-row
                aria-pressed={last.account === account && last.chat === chat}
                onClick={() => requery({ account: last.account, chat: last.chat })}
              >
                <span class="mono">{last.chat}</span>
                <span class="dim small">
                  <Ago at={last.at} />
                </span>
                <span class="said dim">{last.text}</span>
                {bots.length < 2 ? null : <span class="dim small">{last.account}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
