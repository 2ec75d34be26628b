// Finding deliveries: by correlation id, chat, state, session, or a text they hold. Newest first, page by page.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, pathOf } from '../lib/api.ts';
import { later } from '../lib/browser.ts';
import { requery, route, searches } from '../lib/route.ts';
import { may } from '../lib/session-store.ts';
import { useStore } from '../lib/store.ts';
import { useFetched } from '../lib/use-fetched.ts';
import { type Brief, type Page, STATES } from '../lib/wire.ts';
import { Choice, TextField } from '../ui/field.tsx';
import { Panel, Screen } from '../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../ui/states.tsx';
import { attempt } from '../ui/toast.tsx';
import { DeliveryTable } from './delivery-table.tsx';

const TYPING_MS = 300;
const FIELDS: readonly (readonly [name: string, label: string, placeholder: string])[] = [
  ['text', 'Text', 'in the message'],
  ['correlation', 'Correlation id', 'order-7'],
  ['chat', 'Chat', '-100…'],
  ['account', 'Account', 'its id'],
  ['session', 'Session', ''],
];

export function Search() {
  const { query } = useStore(route);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(query);
  const form = useRef<HTMLFormElement>(null);
  const visits = useStore(searches);
  // What the address and the fields last agreed on: neither follows its own echo.
  const agreed = useRef(keyOf(query));
  useEffect(() => form.current?.querySelector('input')?.focus(), [visits]);
  // The fields follow the address, which a link may change.
  useEffect(() => {
    if (keyOf(query) === agreed.current) return;
    agreed.current = keyOf(query);
    setTyped(query);
  }, [query]);
  // The address follows what is typed, after a moment; blanks at the end stay, for the next word.
  useEffect(
    () =>
      later(TYPING_MS, () => {
        const wanted = trimmed(typed);
        if (keyOf(wanted) === agreed.current) return;
        agreed.current = keyOf(wanted);
        requery(wanted);
      }),
    [typed],
  );
  return (
    <Screen title="Search" hint="All fields together; newest first.">
      <form class="filters" ref={form} onSubmit={(event) => event.preventDefault()}>
        {FIELDS.filter(([name]) => name !== 'text' || may('sender')).map(
          ([name, label, placeholder]) => (
            <TextField
              key={name}
              label={label}
              placeholder={placeholder}
              value={typed[name] ?? ''}
              onInput={(value) => setTyped({ ...typed, [name]: value })}
            />
          ),
        )}
        <Choice
          label="State"
          value={typed.state ?? ''}
          onChange={(state) => setTyped({ ...typed, state })}
          options={[['', 'any'], ...STATES.map((state) => [state, state] as const)]}
        />
      </form>
      <Found key={JSON.stringify(query)} query={query} />
    </Screen>
  );
}

function trimmed(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value.trim()]));
}

// The same for the same search, however it came about.
function keyOf(query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const ID = /^[0-9a-z]{5}-[0-9a-z]{1,11}$/;

function Found({ query }: { query: Readonly<Record<string, string>> }) {
  const path = pathOf('/v1/messages', { ...query, preview: 'true' });
  const { data, error, reload } = useFetched<Page<Brief>>(path);
  const [more, setMore] = useState<Page<Brief> | null>(null);
  const items = [...(data?.items ?? []), ...(more?.items ?? [])];
  const next = more === null ? (data?.next ?? null) : more.next;
  const showMore = () =>
    attempt(async () => {
      const page = await ask<Page<Brief>>('GET', `${path}&cursor=${next}`);
      setMore({ items: [...(more?.items ?? []), ...page.items], next: page.next });
      return `${page.items.length} more.`;
    });
  const { text = '' } = query;
  if (ID.test(text)) {
    return (
      <Empty title="This looks like the id of a delivery">
        <a data-row href={`#/delivery/${text}`}>
          Open {text}
        </a>
      </Empty>
    );
  }
  return (
    <Panel title="Deliveries">
      {error !== null && data === null ? (
        <Trouble error={error} retry={() => void reload()} />
      ) : data === null ? (
        <Loading />
      ) : items.length === 0 ? (
        <Empty title="Nothing found">
          Text is looked for in the newest 100,000 deliveries unless another field narrows it.
        </Empty>
      ) : (
        <>
          <DeliveryTable items={items} />
          {next === null ? null : (
            <p class="panel-body">
              <button type="button" onClick={() => void showMore()}>
                Show more
              </button>
            </p>
          )}
        </>
      )}
    </Panel>
  );
}
