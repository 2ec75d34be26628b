// What Slack's methods mean: which of them are deliveries, to which channel, about which message. A message is known by
// its `ts` within its channel, a thread by the `ts` of the message it hangs on. All other methods are passed on.

import type { Described, Family } from '../../domain/call.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { Targets } from '../../domain/targets.ts';
import type { ContentCapability, MessageChanges } from '../platform.ts';
import { referencesIn } from '../references.ts';
import { escapeText, plainText } from './mrkdwn.ts';

export type SlackParams = Readonly<Record<string, unknown>>;

// Calls a minute of one app in one workspace.
const TIER_2 = 20;
const TIER_3 = 50;
const TIER_4 = 100;

interface SlackMethod {
  readonly family: Family;
  // null: as the settings say.
  readonly mpm: number | null;
}

export const METHODS: ReadonlyMap<string, SlackMethod> = new Map([
  ['chat.postMessage', { family: 'send', mpm: null }],
  ['chat.postEphemeral', { family: 'send', mpm: TIER_4 }],
  ['chat.meMessage', { family: 'send', mpm: TIER_3 }],
  ['chat.update', { family: 'edit', mpm: TIER_3 }],
  ['chat.delete', { family: 'delete', mpm: TIER_3 }],
  ['reactions.add', { family: 'reaction', mpm: TIER_3 }],
  ['reactions.remove', { family: 'reaction', mpm: TIER_2 }],
  // A text that the client itself lets grow: what is appended is never left out, so it has no slot.
  ['chat.startStream', { family: 'send', mpm: TIER_2 }],
  ['chat.appendStream', { family: 'edit', mpm: TIER_4 }],
  ['chat.stopStream', { family: 'edit', mpm: TIER_2 }],
]);
export const NAME = /^[a-z]{1,32}(?:\.[A-Za-z]{1,64}){1,4}$/;
const OF_CHANNEL = /^conversations\.(?:history|replies|info|members|mark)$/;
const REPEATABLE = ['chat.update', 'chat.delete', 'reactions.add', 'reactions.remove'];
const IDS = ['ts', 'timestamp', 'thread_ts'];
// They say where it goes, not what it is.
const PLACE = ['channel', ...IDS];

export const isIdempotent = (method: string) => REPEATABLE.includes(method);
const messageOf = ({ ts, timestamp }: SlackParams) => scalarText(ts ?? timestamp);

export function describe(method: string, params: SlackParams): Described {
  const known = METHODS.get(method);
  if (known === undefined) {
    return NAME.test(method)
      ? { kind: 'pass', method }
      : { kind: 'invalid', detail: 'unknown_method' };
  }
  const chat = scalarText(params.channel);
  if (chat === '') return { kind: 'invalid', detail: 'channel_not_found' };
  const { family } = known;
  const about = family === 'send' ? null : messageOf(params) || null;
  const gate = family === 'send' ? 'broadcast' : 'open';
  const thread = scalarText(params.thread_ts) || null;
  const slot = slotOf(method, family, params);
  return { kind: 'call', method, chat, thread, family, gate, cost: 1, slot, about };
}

// Texts of one message replace each other, and so do two signs of one reaction.
function slotOf(method: string, family: Family, params: SlackParams): string | null {
  const message = `${scalarText(params.channel)}:${messageOf(params)}`;
  if (family === 'reaction') return `reaction:${message}:${scalarText(params.name)}`;
  return method === 'chat.update' ? `edit:${message}` : null;
}

export function address(params: SlackParams, to: { chat: string; thread: string | null }) {
  return { ...params, channel: to.chat, ...(to.thread === null ? {} : { thread_ts: to.thread }) };
}

export function targets(method: string, { channel }: SlackParams): Targets {
  const chats = scalarText(channel) === '' ? [] : [scalarText(channel)];
  if (METHODS.has(method) || OF_CHANNEL.test(method)) {
    return chats.length === 0 ? { kind: 'unknown' } : { kind: 'chats', chats };
  }
  if (method === 'auth.test' || method === 'api.test') return { kind: 'none' };
  return NAME.test(method) ? { kind: 'account', chats } : { kind: 'unknown' };
}

export const REFERENCES = referencesIn(IDS);

export const CONTENT: ContentCapability = {
  touch(method, body) {
    const family = METHODS.get(method)?.family;
    const isNew = method === 'chat.postMessage';
    if (!isNew && family !== 'edit' && family !== 'delete') return null;
    const params = JSON.parse(body) as SlackParams;
    const parts = Object.entries(params).filter(([name]) => !PLACE.includes(name));
    const content = isNew || method === 'chat.update' ? JSON.stringify(parts.sort()) : null;
    return { messages: isNew ? [] : [messageOf(params)], content };
  },
  wording: (_method, { text, markdown_text: markdown }) =>
    plainText(scalarText(text)) || scalarText(markdown) || null,
};

export const CHANGES: MessageChanges = {
  read(method, params) {
    const family = METHODS.get(method)?.family;
    if (!isIdempotent(method) || messageOf(params) === '') return null;
    const text = family === 'edit' ? CONTENT.wording(method, params) : null;
    return { kind: family as 'edit' | 'delete' | 'reaction', messages: [messageOf(params)], text };
  },
  about: (params, id) => ({ ...params, ['timestamp' in params ? 'timestamp' : 'ts']: id }),
  make({ kind, text }, ts) {
    if (kind === 'delete') return { method: 'chat.delete', params: { ts } };
    if (kind !== 'edit' || text === null) return null;
    return { method: 'chat.update', params: { ts, text: escapeText(text) } };
  },
};
