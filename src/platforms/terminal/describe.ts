// Reads a call once, at the wall. The terminal is ours, so it has few methods, under names that bots know, and an
// unknown one is refused instead of passed on: there is nobody behind it who could know better.

import type { Family } from '../../domain/call.ts';
import { seqOfProvisional } from '../../domain/ids.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { Targets } from '../../domain/targets.ts';
import type { Budgets, Described } from '../platform.ts';

export type TerminalParams = Readonly<Record<string, unknown>>;

interface Method {
  readonly name: string;
  readonly family: Family;
  readonly idempotent: boolean;
  readonly takesId: boolean;
}

const METHODS: readonly Method[] = [
  { name: 'sendMessage', family: 'send', idempotent: false, takesId: false },
  { name: 'editMessageText', family: 'edit', idempotent: true, takesId: true },
  { name: 'deleteMessage', family: 'delete', idempotent: true, takesId: true },
  { name: 'sendChatAction', family: 'typing', idempotent: true, takesId: false },
];
// A screen takes all there is.
export const BUDGETS = { names: ['open'], unsolicited: 'open' } as const satisfies Budgets;

const BY_NAME = new Map(METHODS.map((method) => [method.name.toLowerCase(), method]));
const CHAT_LENGTH_MAX = 256;

export function describe(name: string, params: TerminalParams): Described {
  const method = BY_NAME.get(name.toLowerCase());
  const trouble = method === undefined ? unknownMethod() : troubleOf(method, params);
  if (method === undefined || trouble !== null) return { kind: 'invalid', detail: trouble! };
  const { name: canonical, family, takesId } = method;
  const chat = params.chat as string;
  return {
    kind: 'call',
    method: canonical,
    chat,
    thread: typeof params.thread === 'string' ? params.thread : null,
    family,
    budget: BUDGETS.unsolicited,
    cost: 1,
    // Deletions are a slot of their own: a late edit must not swallow one.
    slot: takesId ? `${family}:${chat}:${scalarText(params.message_id)}` : null,
  };
}

export function address(
  params: TerminalParams,
  { chat, thread }: { chat: string; thread: string | null },
): Record<string, unknown> {
  return thread === null ? { ...params, chat } : { ...params, chat, thread };
}

// Each of its methods goes to the one screen it names.
export function targets(name: string, { chat }: TerminalParams): Targets {
  if (!BY_NAME.has(name.toLowerCase()) || typeof chat !== 'string') return { kind: 'unknown' };
  return { kind: 'chats', chats: [chat] };
}

export function isIdempotent(name: string): boolean {
  return BY_NAME.get(name.toLowerCase())?.idempotent ?? false;
}

// Given as a number or as text; null: it is no id.
export function idOf(value: unknown): string | null {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? String(id) : null;
}

function troubleOf(method: Method, { chat, message_id: id }: TerminalParams): string | null {
  if (typeof chat !== 'string' || chat === '' || chat.length > CHAT_LENGTH_MAX) {
    return `a chat: a name of 1 to ${CHAT_LENGTH_MAX} characters`;
  }
  const isNamed = idOf(id) !== null || seqOfProvisional(id) !== null;
  return method.takesId && !isNamed ? 'message_id: the number of a message' : null;
}

function unknownMethod(): string {
  return `one of ${METHODS.map(({ name }) => name).join(', ')}`;
}
