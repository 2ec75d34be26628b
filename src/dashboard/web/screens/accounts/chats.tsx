// The chats: how much of each one's budget is used, what was learned of it, and what froze it for how long. Ten
// thousand of them scroll as one list; only what is seen is asked for.

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask, messageOf, pathOf } from '../../lib/api.ts';
import { later, wallNow } from '../../lib/browser.ts';
import { plural } from '../../lib/format.ts';
import { useMark } from '../../lib/mark.ts';
import { hrefOf, requery, route } from '../../lib/route.ts';
import { smallScreen } from '../../lib/screen-size.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { ChatLimits, LimitsPage } from '../../lib/wire/wire.ts';
import { Tabs, TextField } from '../../ui/field.tsx';
import { Panel, Screen } from '../../ui/parts.tsx';
import { Empty, Loading, Trouble } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { ChatRow } from './chat-row.tsx';

const PAGE = 100;
// Room for a rule in two lines; on a small screen what can be done stands below.
const ROW_HEIGHT = 66;
const ROW_HEIGHT_SMALL = 160;
// What is seen is asked for again at most this often, however much happens.
const AGAIN_MS_MIN = 3000;

export function Chats() {
  const { query } = useStore(route);
  const { account = '', find = '', frozen = '' } = query;
  const change = (changes: Readonly<Record<string, string>>) => requery({ ...query, ...changes });
  // A list of its own for each filter, so that rows of one never show in another.
  const book = useMemo(() => new Book({ account, find, frozen }), [account, find, frozen]);
  return (
    <Screen
      title="Chats"
      hint="Those that use some of their limits or are frozen. A chat’s trouble is that chat’s alone."
    >
      <div class="filters">
        <Tabs
          label="Which"
          value={frozen}
          onChange={(value) => change({ frozen: value })}
          options={[
            ['', 'all'],
            ['true', 'frozen'],
          ]}
        />
        <TextField
          label="Find"
          value={find}
          placeholder="part of a chat id"
          onInput={(value) => change({ find: value.trim() })}
        />
        <TextField
          label="Account"
          value={account}
          placeholder="its id"
          onInput={(value) => change({ account: value.trim() })}
        />
      </div>
      <ChatList
        key={JSON.stringify([account, find, frozen])}
        book={book}
        isFrozen={frozen !== ''}
      />
    </Screen>
  );
}

function ChatList({ book, isFrozen }: { book: Book; isFrozen: boolean }) {
  const { total, error } = useStore(book.state);
  const isSmall = useStore(smallScreen);
  const mark = useMark('deliveries');
  const [seen, setSeen] = useState({ first: 0, last: 1 });
  const renewedAt = useRef(wallNow());
  const onSeen = useCallback((first: number, last: number) => {
    setSeen({ first, last });
  }, []);
  useEffect(() => book.want(seen.first, seen.last), [book, seen]);
  useEffect(() => {
    if (mark === null) return;
    const dueMs = renewedAt.current + AGAIN_MS_MIN - wallNow();
    return later(Math.max(0, dueMs), () => {
      renewedAt.current = wallNow();
      book.renew(seen.first, seen.last);
    });
  }, [book, mark, seen]);
  return (
    <Panel
      title="Chats"
      more={<span class="dim num">{total === null ? '' : plural(total, 'entry', 'entries')}</span>}
    >
      {error !== null && total === null ? (
        <Trouble error={error} retry={() => book.renew(0, 1)} />
      ) : total === null ? (
        <Loading />
      ) : total === 0 ? (
        <Empty title={isFrozen ? 'Nothing is frozen' : 'No chat has a limit in use'}>
          {isFrozen ? (
            'No wait of the platform runs.'
          ) : (
            <>
              A chat is listed from its next message until its limits are free again; what was sent
              to it is under <a href={hrefOf('messages')}>Messages</a>.
            </>
          )}
        </Empty>
      ) : (
        <VirtualList
          label="All chats"
          total={total}
          rowHeight={isSmall ? ROW_HEIGHT_SMALL : ROW_HEIGHT}
          onSeen={onSeen}
          renderRow={(index) => (
            <ChatRow limits={book.at(index)} onChange={() => book.renew(seen.first, seen.last)} />
          )}
        />
      )}
    </Panel>
  );
}

// Pages of the list, as far as they were asked for.
class Book {
  readonly state = new Store<{ total: number | null; error: string | null }>({
    total: null,
    error: null,
  });
  readonly #filter: Readonly<Record<string, string>>;
  readonly #pages = new Map<number, readonly ChatLimits[]>();
  // Whether what is asked for has to be asked for again: something may have changed after it was answered.
  readonly #asking = new Map<number, { isStale: boolean }>();

  constructor(filter: Readonly<Record<string, string>>) {
    this.#filter = filter;
  }

  at(index: number): ChatLimits | null {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE] ?? null;
  }

  want(first: number, last: number): void {
    for (const page of pagesOf(first, last)) if (!this.#pages.has(page)) void this.#ask(page);
  }

  renew(first: number, last: number): void {
    for (const page of pagesOf(first, last)) {
      const asking = this.#asking.get(page);
      if (asking === undefined) void this.#ask(page);
      else asking.isStale = true;
    }
  }

  async #ask(page: number): Promise<void> {
    if (this.#asking.has(page)) return;
    const asking = { isStale: false };
    this.#asking.set(page, asking);
    const place = { offset: String(page * PAGE), limit: String(PAGE) };
    try {
      const path = pathOf('/v1/limits', { ...this.#filter, ...place });
      const { limits, total } = await ask<LimitsPage>('GET', path);
      this.#pages.set(page, limits);
      this.state.set({ total, error: null });
    } catch (error) {
      this.state.set({ total: this.state.value.total, error: messageOf(error) });
    }
    this.#asking.delete(page);
    if (asking.isStale) await this.#ask(page);
  }
}

function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / PAGE);
  const to = Math.floor(Math.max(first, last - 1) / PAGE);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
