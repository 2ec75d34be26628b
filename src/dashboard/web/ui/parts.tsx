// Small parts that all screens are made of: the screen itself, panels, names that lead somewhere.

import type { ComponentChildren } from 'preact';
import { useName } from '../lib/names.ts';
import { hrefOf } from '../lib/route.ts';
import type { Brief } from '../lib/wire/wire.ts';

export function Screen(props: {
  title: string;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, hint, actions, children } = props;
  return (
    <section class="screen" aria-labelledby="screen-title">
      <header class="screen-head">
        <div>
          <h1 id="screen-title">{title}</h1>
          {hint === undefined ? null : <p class="dim">{hint}</p>}
        </div>
        <div class="actions">{actions}</div>
      </header>
      {children}
    </section>
  );
}

export function Panel(props: {
  title: string;
  more?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, more, children } = props;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {more}
      </header>
      {children}
    </section>
  );
}

export function Tile(props: {
  label: string;
  value: string;
  note?: string;
  tone?: string;
  href?: string;
}) {
  const { label, value, note, tone = '', href } = props;
  const inner = (
    <>
      <span class="tile-label">{label}</span>
      <span class={`tile-value num ${tone}`}>{value}</span>
      <span class="tile-note dim">{note ?? '\u00a0'}</span>
    </>
  );
  return href === undefined ? (
    <div class="tile">{inner}</div>
  ) : (
    <a class="tile" href={href}>
      {inner}
    </a>
  );
}

export function ChatLink({ account, chat }: { account: string; chat: string }) {
  return (
    <a class="mono" href={hrefOf('chats', { account, find: chat })}>
      <ChatName account={account} chat={chat} />
    </a>
  );
}

// Its caller's own id of it, where there is one.
export function Correlation({ id, own }: { id: string; own: string }) {
  return own === id ? null : <span class="dim small mono">{own}</span>;
}

// The cell of a table that says where something goes.
export function ChatCell({ account, chat }: { account: string; chat: string }) {
  return (
    <td>
      <ChatLink account={account} chat={chat} />
      <span class="dim small">
        <AccountName id={account} />
      </span>
    </td>
  );
}

// What people call it, where that is known, and its id, unless the name has it already.
export function ChatName({ account, chat }: { account: string; chat: string }) {
  const name = useName(account, chat);
  return (
    <>
      {name === null ? null : <span class="name">{name} </span>}
      {name?.endsWith(` ${chat}`) ? null : chat}
    </>
  );
}

export function AccountName({ id }: { id: string }) {
  const name = useName(id);
  return (
    <>
      {name === null ? null : <span class="name">{name} </span>}
      <span class="account-id">{id}</span>
    </>
  );
}

// What a message says, or what kind of call it is.
export function Said({ of }: { of: Pick<Brief, 'preview' | 'method'> }) {
  return of.preview ? (
    <span class="said">{of.preview}</span>
  ) : (
    <span class="said dim">{of.method}</span>
  );
}

export function deliveryHref(id: string): string {
  return hrefOf(`delivery/${encodeURIComponent(id)}`);
}

// A bar of parts of a whole. The words beside it say the same.
export function Meter(props: { share: number; tone?: string; label: string }) {
  const { share, tone = '', label } = props;
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <span class={`meter ${tone}`} role="img" aria-label={`${label}: ${percent} %`}>
      <span class="meter-fill" style={{ width: `${percent}%` }} />
    </span>
  );
}
