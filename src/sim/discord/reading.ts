// What the simulated Discord shows of a channel's past: pages by id, always the newest first, and single messages. Who
// lacks the permission to read the past is shown an empty page, and refused a single message.

import {
  invalidForm,
  MISSING_PERMISSIONS,
  type SimDiscordError,
  UNKNOWN_MESSAGE,
} from './answers.ts';
import { type SimDiscordMessage, viewOf } from './messages.ts';
import { type ActEnding, type DiscordScene, done, no } from './scene.ts';

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;
const BOUNDS = ['around', 'before', 'after'] as const;
// What bots are not told of others' messages without the intent.
const HIDDEN = { content: '', embeds: [], attachments: [], components: [] };

export function getMessages(scene: DiscordScene): ActEnding {
  const { ids, messages, query, isPastHidden } = scene;
  const trouble = troubleOf(query);
  if (trouble !== null) return no(trouble);
  if (isPastHidden) return done([]);
  const limit = Number(query.limit ?? PAGE_DEFAULT);
  const there = messages
    .ofChat(ids.channel!)
    .filter(({ isDeleted }) => !isDeleted)
    .sort((a, b) => compare(a.id, b.id));
  const page = pageOf(there, query, limit);
  return done(page.reverse().map((message) => shownTo(scene, message)));
}

export function getMessage(scene: DiscordScene): ActEnding {
  const { ids, messages, isPastHidden } = scene;
  if (isPastHidden) return no(MISSING_PERMISSIONS);
  const message = messages.get(ids.channel!, ids.message!);
  return message === null ? no(UNKNOWN_MESSAGE) : done(shownTo(scene, message));
}

function troubleOf(query: DiscordScene['query']): SimDiscordError | null {
  const { limit } = query;
  if (limit !== undefined && !/^\d{1,4}$/.test(limit)) {
    return invalidForm('limit', 'NUMBER_TYPE_COERCE', `Value "${limit}" is not int.`);
  }
  if (limit !== undefined && (Number(limit) < 1 || Number(limit) > PAGE_MAX)) {
    const words = `int value should be between 1 and ${PAGE_MAX}.`;
    return invalidForm('limit', 'NUMBER_TYPE_RANGE', words);
  }
  const wrong = BOUNDS.find((name) => !/^\d{1,20}$/.test(query[name] ?? '0'));
  if (wrong === undefined) return null;
  return invalidForm(wrong, 'NUMBER_TYPE_COERCE', `Value "${query[wrong]}" is not snowflake.`);
}

// Ascending. After an id: those that come next; else the newest there are.
function pageOf(
  there: readonly SimDiscordMessage[],
  { after, before, around }: DiscordScene['query'],
  limit: number,
): SimDiscordMessage[] {
  if (around !== undefined) {
    const at = there.findIndex(({ id }) => compare(id, around) >= 0);
    const middle = at < 0 ? there.length : at;
    const from = Math.max(0, middle - Math.floor(limit / 2));
    return there.slice(from, from + limit);
  }
  if (after !== undefined) {
    return there.filter(({ id }) => compare(id, after) > 0).slice(0, limit);
  }
  const older = before === undefined ? there : there.filter(({ id }) => compare(id, before) < 0);
  return older.slice(-limit);
}

function shownTo({ bot, options }: DiscordScene, message: SimDiscordMessage): object {
  const isOwn = message.fromBot && message.bot === bot;
  return { ...viewOf(message), ...(options.messageContent || isOwn ? {} : HIDDEN) };
}

// Decimal digits: the longer one is the higher.
function compare(a: string, b: string): number {
  const [left, right] = [BigInt(a), BigInt(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
