// The log of all deliveries, newest first, and what is looked for in it: by state, account, chat, time, text and ids.
// Every number of the page leads here with its filter in the address.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onceBack } from '../../lib/back.ts';
import { later } from '../../lib/browser.ts';
import { hrefOf, type Query, requery, route, wantsToType } from '../../lib/route.ts';
import { may } from '../../lib/session-store.ts';
import { useStore } from '../../lib/store.ts';
import { STATES } from '../../lib/wire/wire.ts';
import { Choice, TextField } from '../../ui/field.tsx';
import { Screen } from '../../ui/parts.tsx';
import { MessageLog } from './message-log.tsx';
import { TimeRange } from './time-range.tsx';

const TYPING_MS = 300;

type Field = readonly [name: string, label: string, placeholder: string];

const FIELDS: readonly Field[] = [
  ['text', 'Text', 'words, or an id'],
  ['chat', 'Chat', '-100…'],
  ['account', 'Account', 'its id'],
];
// Shown when asked for, or when one of them is in use.
const MORE_FIELDS: readonly Field[] = [
  ['correlation', 'Correlation id', 'order-7'],
  ['session', 'Session', ''],
  ['messageId', 'Platform message id', 'as the platform numbers it'],
  ['reason', 'Reason', 'chat_not_found'],
];

export function Messages() {
  const { query } = useStore(route);
  const [typed, type] = useTyped(query);
  const [isOpen, setIsOpen] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isAsked = useStore(wantsToType);
  // At once: the first letter is typed right after the key that asked for it.
  useLayoutEffect(() => {
    if (!isAsked) return;
    form.current?.querySelector('input')?.focus();
    wantsToType.set(false);
  }, [isAsked]);
  const hasMore = isOpen || MORE_FIELDS.some(([name]) => typed[name]);
  const fields = [
    ...FIELDS.filter(([name]) => name !== 'text' || may('sender')),
    ...(hasMore ? MORE_FIELDS : []),
  ];
  return (
    <Screen title="Messages" hint="Every message, newest first. Filters combine.">
      <form class="filters" ref={form} onSubmit={(event) => event.preventDefault()}>
        {fields.map(([name, label, placeholder]) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            value={typed[name] ?? ''}
            onInput={(value) => type({ [name]: value })}
          />
        ))}
        <Choice
          label="State"
          value={typed.state ?? ''}
          onChange={(state) => type({ state })}
          options={[['', 'any'], ...STATES.map((state) => [state, state] as const)]}
        />
        <TimeRange query={typed} onChange={(range) => type({ ...range })} />
        <button
          type="button"
          class="quiet"
          aria-pressed={hasMore}
          onClick={() => setIsOpen(!isOpen)}
        >
          More filters
        </button>
        {keyOf(query) === keyOf({}) ? null : (
          <a class="clear" href={hrefOf('messages')}>
            Clear
          </a>
        )}
      </form>
      <MessageLog key={keyOf(query)} query={query} />
    </Screen>
  );
}

// What is in the fields. The address follows it after a moment, and it follows the address, which a link may change.
function useTyped(query: Query): [Query, (changed: Query) => void] {
  const [kept, setTyped] = useState(query);
  // What the address and the fields last agreed on: neither follows its own echo.
  const agreed = useRef(keyOf(query));
  // In the same rendering: what is typed right after a link was followed must not be taken for what was there before.
  const isLed = keyOf(query) !== agreed.current;
  if (isLed) {
    agreed.current = keyOf(query);
    setTyped(query);
  }
  const typed = isLed ? query : kept;
  const newest = useRef(typed);
  newest.current = typed;
  // Blanks at the end stay in the field, for the next word.
  useEffect(
    () =>
      later(TYPING_MS, () =>
        // Agreed on only when the address has it: until then the fields would follow the one from before.
        onceBack(() => {
          const wanted = trimmed(typed);
          if (newest.current !== typed || keyOf(wanted) === agreed.current) return;
          agreed.current = keyOf(wanted);
          requery(wanted);
        }),
      ),
    [typed],
  );
  return [typed, (changed) => setTyped((before) => ({ ...before, ...changed }))];
}

function trimmed(query: Query): Query {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value.trim()]));
}

// The same for the same search, however it came about.
function keyOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return JSON.stringify(given.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
