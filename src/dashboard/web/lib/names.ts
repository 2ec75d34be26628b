// What people call the chats and accounts on the screen. Whatever is shown is asked for together, a moment later, and
// remembered; a name that is not known yet is asked for again when it is shown again.

import { useEffect } from 'preact/hooks';
import { ask, pathOf } from './api.ts';
import { later, wallNow } from './browser.ts';
import { may, session } from './session-store.ts';
import { Store, useStore } from './store.ts';

// Many rows appear at once.
const TOGETHER_MS = 60;
// As many as the gateway answers at once.
const ASKED_MAX = 100;
const AGAIN_MS_MIN = 15_000;
const NAMES_MAX = 20_000;

interface Entry {
  readonly name: string | null;
  readonly askedAt: number;
}

interface Answer {
  readonly name: string | null;
  readonly chats: Readonly<Record<string, string>>;
}

// By account and chat; the account itself is the chat ''.
const names = new Map<string, Entry>();
const wanted = new Map<string, Set<string>>();
// Counts up when something was learned.
const learned = new Store(0);

// Whoever comes in next may see less.
session.follow(({ kind }) => {
  if (kind === 'in') return;
  names.clear();
  wanted.clear();
});

export function useName(account: string, chat = ''): string | null {
  useStore(learned);
  const entry = names.get(keyOf(account, chat));
  const isDue = entry === undefined || entry.name === null;
  useEffect(() => {
    if (isDue) want(account, chat);
  });
  return entry?.name ?? null;
}

function want(account: string, chat: string): void {
  const key = keyOf(account, chat);
  const askedAt = names.get(key)?.askedAt ?? Number.NEGATIVE_INFINITY;
  if (!may('sender') || account === '' || wallNow() - askedAt < AGAIN_MS_MIN) return;
  if (names.size > NAMES_MAX) names.clear();
  names.set(key, { name: null, askedAt: wallNow() });
  const chats = wanted.get(account);
  if (chats === undefined) wanted.set(account, new Set([chat]));
  else chats.add(chat);
  if (wanted.size === 1 && chats === undefined) later(TOGETHER_MS, () => void askAll());
}

async function askAll(): Promise<void> {
  const all = [...wanted];
  wanted.clear();
  for (const [account, asked] of all) {
    const chats = [...asked].filter((chat) => chat !== '' && !chat.includes(','));
    for (let i = 0; i === 0 || i < chats.length; i += ASKED_MAX) {
      await learn(account, chats.slice(i, i + ASKED_MAX));
    }
  }
}

async function learn(account: string, chats: readonly string[]): Promise<void> {
  try {
    const path = pathOf('/v1/names', { account, chats: chats.join() });
    const answer = await ask<Answer>('GET', path);
    const askedAt = wallNow();
    names.set(keyOf(account, ''), { name: answer.name, askedAt });
    for (const [chat, name] of Object.entries(answer.chats)) {
      names.set(keyOf(account, chat), { name, askedAt });
    }
    learned.set(learned.value + 1);
  } catch {
    // Then the ids stand alone.
  }
}

function keyOf(account: string, chat: string): string {
  return `${account} ${chat}`;
}
