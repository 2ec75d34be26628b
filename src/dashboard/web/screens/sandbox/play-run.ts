// What the plays share: the bot and the chats they use, how messages of one are handed over, and how they are found
// again. A run is known by the correlation id of its messages, so it is the same run after a reload and for whoever
// else looks.

import { ask, pathOf, Refused } from '../../lib/api.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import { requery, route } from '../../lib/route.ts';
import type { Brief, Page, State } from '../../lib/wire/wire.ts';

// Where a newcomer begins: the bot and the chat of the first command in the README.
export const FIRST_BOT = '1:sandbox';
export const FIRST_CHAT = '42';

const WAITING: readonly State[] = ['queued', 'sending'];

// Lets the bot into the chat, which someone may have blocked, and answers the bot's account. A gateway that has never
// seen the bot knows it from here on.
export async function openChat(chat: string, trouble: object = {}): Promise<string> {
  const asked = { account: FIRST_BOT, chat, state: 'open', ...trouble };
  const { account } = await ask<{ account: string }>('POST', '/v1/sandbox/chats', asked);
  return account;
}

// Opens it beside the plays, if the sandbox is still what one looks at.
export function showChat(account: string, chat: string): void {
  if (route.value.screen === 'sandbox') requery({ account, chat });
}

export interface Written {
  readonly chat: string;
  readonly text: string;
}

// All at once, in one request.
export async function submitAll(
  account: string,
  correlation: string,
  messages: readonly Written[],
): Promise<void> {
  const batch = messages.map(({ chat, text }) => ({
    to: { account, chat },
    text,
    correlation,
  }));
  type Answer = { readonly status: number; readonly code: string; readonly detail: string };
  const answers = await ask<readonly Answer[]>('POST', '/v1/messages', batch);
  const refused = answers.find(({ status }) => status >= 300);
  if (refused !== undefined) throw new Refused(refused.status, refused.code, refused.detail);
}

// The newest run, as far as it has come.
export function useRun(correlation: string, size: number) {
  const path = pathOf('/v1/messages', { correlation, limit: String(size) });
  const { data, reload } = useFetched<Page<Brief>>(path, useMark('deliveries'));
  const messages = data?.items ?? [];
  return { messages, reload };
}

export function isWaiting({ state }: Brief): boolean {
  return WAITING.includes(state);
}

// Tries that did not bring it there.
export function refusals({ state, tries }: Brief): number {
  const isLastFine = state === 'sent' || state === 'sending';
  return Math.max(0, isLastFine ? tries - 1 : tries);
}
