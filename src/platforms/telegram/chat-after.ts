// One chat, several ids: a group that becomes a supergroup gets a new one, a channel has a name beside its number.
// Telegram tells both in its answers.

import type { Outcome } from '../../domain/outcome.ts';

export function chatAfter(chat: string, outcome: Outcome): { chat: string; moved: boolean } | null {
  if (outcome.kind === 'refused' && outcome.cure?.kind === 'move_chat') {
    return { chat: outcome.cure.chat, moved: true };
  }
  if (outcome.kind !== 'sent' || !chat.startsWith('@')) return null;
  const id = chatIdIn(outcome.result);
  return id === null ? null : { chat: id, moved: false };
}

function chatIdIn(answer: string): string | null {
  const { result } = JSON.parse(answer) as { result?: unknown };
  const first: unknown = Array.isArray(result) ? result[0] : result;
  if (typeof first !== 'object' || first === null || !('chat' in first)) return null;
  const id = (first.chat as { id?: unknown } | null)?.id;
  return Number.isSafeInteger(id) ? String(id) : null;
}
