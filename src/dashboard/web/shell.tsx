// The frame of every screen: the menu with what needs attention, how the line to the gateway is, and who is signed in.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useDeadCounts } from './lib/dead-causes.ts';
import { count } from './lib/format.ts';
import { line, overview } from './lib/live.ts';
import { hrefOf } from './lib/route.ts';
import { signOut } from './lib/session.ts';
import { may, session } from './lib/session-store.ts';
import { useStore } from './lib/store.ts';
import { followSystem, isDark, paint, toggleTheme } from './lib/theme.ts';
import type { Overview } from './lib/wire/wire.ts';
import { SCREENS, type ScreenEntry } from './screens.ts';
import { help } from './shortcuts.tsx';
import { Icon } from './ui/icon.tsx';
import { Mark } from './ui/mark.tsx';

// What is above it happens all the time; from here on it is looked after now and then.
const FIRST_OF_OFFICE = 'sandbox';

// Screens that the menu does not list, and the entry they belong to.
const PART_OF: Readonly<Record<string, string>> = { delivery: 'messages' };

export function Shell(props: { at: string; children: ComponentChildren }) {
  const { children } = props;
  const at = PART_OF[props.at] ?? props.at;
  const state = useStore(line);
  const now = useStore(overview);
  const { alarming } = useDeadCounts();
  const told = useStore(overview)?.at;
  useEffect(followSystem, [told]);
  const menu = useRef<HTMLElement>(null);
  // Where the menu is a row that scrolls.
  useEffect(() => {
    const current = menu.current?.querySelector(`[href="${hrefOf(at)}"]`);
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <nav ref={menu} class="menu" aria-label="Screens">
        <a class="brand" href={hrefOf('')}>
          <Mark size={22} /> Sluice
        </a>
        <ul>
          {SCREENS.filter((entry) => isInMenu(entry, now)).map(({ path, title }) => (
            <li key={path} class={path === FIRST_OF_OFFICE ? 'apart' : ''}>
              <a href={hrefOf(path)} aria-current={path === at ? 'page' : undefined}>
                <Icon name={path} />
                <span class="entry">{title}</span>
                <Attention path={path} alarming={alarming} />
              </a>
            </li>
          ))}
        </ul>
        <Foot />
      </nav>
      <main id="main" tabIndex={-1}>
        {state === 'away' ? (
          <p class="banner" role="alert">
            The gateway does not answer. Trying again; what you see is from before.
          </p>
        ) : null}
        <Stopped />
        {children}
      </main>
    </div>
  );
}

function isInMenu({ key, role, isThere }: ScreenEntry, now: Overview | null): boolean {
  return key !== null && may(role ?? 'viewer') && (isThere?.(now) ?? true);
}

// What concerns every screen: nothing at all goes out.
function Stopped() {
  const worst = useStore(overview)?.incidents[0];
  if (worst === undefined || worst.severity !== 'critical' || worst.account !== null) return null;
  return (
    <p class="banner bad" role="alert">
      {worst.summary} {worst.remedy}
    </p>
  );
}

// Not a link: what stands after the # of the address is the screen.
function focusMain(): void {
  document.getElementById('main')?.focus();
}

// How many there are behind a menu entry that someone may want to look at.
function Attention({ path, alarming }: { path: string; alarming: number }) {
  const now = useStore(overview);
  const found = now === null ? null : attentionOf(path, now, alarming);
  if (found === null || found.n === 0) return null;
  return <span class={`count num ${found.tone}`}>{count(found.n)}</span>;
}

function attentionOf(
  path: string,
  now: Overview,
  alarming: number,
): { n: number; tone: string } | null {
  const { critical, high, normal, low } = now.depths;
  switch (path) {
    case 'queue':
      return { n: critical + high + normal + low, tone: '' };
    case 'accounts':
      return { n: now.accounts.trouble.length, tone: 'warn' };
    case 'chats':
      return { n: now.freezes.active, tone: 'cool' };
    case 'streams':
      return { n: now.streams, tone: '' };
    case 'ingest':
      return { n: now.ingest?.dead ?? 0, tone: 'bad' };
    case 'dead':
      return { n: alarming + now.uncertain, tone: 'bad' };
    default:
      return null;
  }
}

const LINE_WORDS = { joining: 'connecting', live: 'live', away: 'away' } as const;

function Foot() {
  const who = useStore(session);
  const state = useStore(line);
  useStore(paint);
  return (
    <div class="foot">
      <span class={`line ${state}`}>
        <i class="dot" /> {LINE_WORDS[state]}
      </span>
      <button type="button" class="quiet" onClick={toggleTheme} title="Dark or light (t)">
        {isDark() ? 'Light' : 'Dark'}
      </button>
      <button type="button" class="quiet" onClick={() => help.set(true)} title="Keyboard (?)">
        Shortcuts
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => void signOut()}
        title={who.kind === 'in' ? `Signed in as ${who.name} (${who.role})` : ''}
      >
        Sign out
      </button>
    </div>
  );
}
