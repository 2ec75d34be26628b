// Who lives in the world: bots, their chats, and which of them are in trouble from the start.

import type { AccountId } from '../../domain/ids.ts';
import { intBelow, pick, type Random } from '../../system/random.ts';
import type { TelegramModel } from '../telegram/model.ts';

export interface WorldAccount {
  readonly id: AccountId;
  readonly token: string;
  readonly chats: WorldChat[];
  // Its token is revoked at some point.
  readonly isDoomed: boolean;
}

export interface WorldChat {
  readonly account: WorldAccount;
  readonly id: string;
  readonly isPrivate: boolean;
  readonly threads: readonly string[];
  // Blocked, missing or kicked: every message to it is refused.
  readonly isPoison: boolean;
  // Mean time between two things happening there.
  readonly pauseMs: number;
}

export interface Population {
  readonly accounts: readonly WorldAccount[];
  readonly chats: readonly WorldChat[];
}

// One chat of so many, spread evenly, so that no world is without.
const POISON_EVERY = 20;
const PAUSE_MS_MIN = 40_000;
const PAUSE_MS_MAX = 160_000;

export function populate(
  random: Random,
  size: { accounts: number; chats: number },
  model: TelegramModel,
): Population {
  const accounts: WorldAccount[] = Array.from({ length: size.accounts }, (_, i) => {
    const isDoomed = i > 0 && i === size.accounts - 1;
    return { id: `telegram:${1001 + i}`, token: `${1001 + i}:simulated`, chats: [], isDoomed };
  });
  const chats = Array.from({ length: size.chats }, (_, i) => {
    const account = accounts[i % accounts.length]!;
    const chat = settleChat(random, account, i, model);
    account.chats.push(chat);
    return chat;
  });
  return { accounts, chats };
}

function settleChat(
  random: Random,
  account: WorldAccount,
  i: number,
  model: TelegramModel,
): WorldChat {
  const kind = pick(random, [
    'private',
    'private',
    'private',
    'forum',
    'forum',
    'group',
    'channel',
  ]);
  const isPrivate = kind === 'private';
  const id = isPrivate ? `${50_000 + i}` : kind === 'group' ? `-${50_000 + i}` : `-100${1e9 + i}`;
  if (kind === 'channel') model.setChannel(id);
  const isPoison = i % POISON_EVERY === 3;
  if (isPoison) {
    const trouble = isPrivate ? pick(random, ['blocked', 'missing'] as const) : 'kicked';
    model.setChat(id, { kind: trouble });
  } else if (kind === 'group' && random.next() < 0.2) {
    model.setChat(id, { kind: 'migrated', to: `-100${2e9 + i}` });
  }
  const threads = kind === 'forum' ? ['2', '3', '4'] : [];
  const pauseMs = PAUSE_MS_MIN + intBelow(random, PAUSE_MS_MAX - PAUSE_MS_MIN);
  return { account, id, isPrivate, threads, isPoison, pauseMs };
}
