// Platforms whose API is methods by name: what a table of them says of calls and of messages. Each row tells what a
// method does; the names of a few parameters tell where, and to which message.

import type { Described, DescribedCall, Family } from '../../domain/call.ts';
import { scalarText } from '../../domain/scalar.ts';
import type { Targets } from '../../domain/targets.ts';
import { changesBy, type MessageChange } from '../changes.ts';
import { contentOf } from '../content.ts';
import type { Calls, ContentCapability, Platform } from '../platform.ts';
import { referencesIn } from '../references.ts';
import { MESSAGE_BUDGETS, OPEN } from './budgets.ts';

type Params = Readonly<Record<string, unknown>>;

export interface MethodRow {
  readonly family: Family;
  // What it does to a message that is there, so that doing it again changes nothing more; left out: neither.
  readonly changes?: MessageChange['kind'];
}

export interface MethodTable<Row extends MethodRow = MethodRow> {
  readonly methods: ReadonlyMap<string, Row>;
  // Whatever else has such a name is passed on.
  readonly name: RegExp;
  // Of those: which name a chat, and which touch nothing.
  readonly ofChat: RegExp;
  readonly ofNothing: readonly string[];
  // By which messages are sent, edited and removed.
  readonly open: string;
  readonly edit: string;
  readonly remove: string;
  // Parameters: the chat, the thread, what tells two reactions apart, and all that hold ids of messages.
  readonly chat: string;
  readonly thread: string;
  readonly reaction: string;
  readonly ids: readonly string[];
  // The one of them that the call is about, as it names it or would.
  idName(params: Params): string;
  // In the platform's words.
  readonly unknown: string;
  readonly unaddressed: string;
}

type TableCalls = Pick<Calls, 'describe' | 'address' | 'isIdempotent' | 'targets' | 'textMethod'>;

export function tableCalls(table: MethodTable): TableCalls {
  const { methods, name, chat, thread } = table;
  return {
    textMethod: table.open,
    isIdempotent: (method) => methods.get(method)?.changes !== undefined,
    address: (params, to) => ({
      ...params,
      [chat]: to.chat,
      ...(to.thread === null ? null : { [thread]: to.thread }),
    }),
    describe(method, params): Described {
      const row = methods.get(method);
      if (row !== undefined) {
        const call = callOf(table, method, row, params);
        return call ?? { kind: 'invalid', detail: table.unaddressed };
      }
      return name.test(method)
        ? { kind: 'pass', method }
        : { kind: 'invalid', detail: table.unknown };
    },
    targets(method, params): Targets {
      const chats = [scalarText(params[chat])].filter((each) => each !== '');
      if (methods.has(method) || table.ofChat.test(method)) {
        return chats.length === 0 ? { kind: 'unknown' } : { kind: 'chats', chats };
      }
      if (table.ofNothing.includes(method)) return { kind: 'none' };
      return name.test(method) ? { kind: 'account', chats } : { kind: 'unknown' };
    },
  };
}

// A name as the table has it, however its letters are written. Whether the platform reads it in other letters is not
// documented: assumed is that it does, so that no way to write a method that sends leads past the queue.
export function asTabled({ methods }: MethodTable): (asked: string) => string {
  const byLetters = new Map<string, string>();
  for (const name of methods.keys()) byLetters.set(name.toLowerCase(), name);
  return (asked) => byLetters.get(asked.toLowerCase()) ?? asked;
}

// null: it names no chat.
function callOf(
  table: MethodTable,
  method: string,
  { family, changes }: MethodRow,
  params: Params,
): DescribedCall | null {
  const chat = scalarText(params[table.chat]);
  if (chat === '') return null;
  const about = family === 'send' ? null : messageOf(table, params) || null;
  const message = `${chat}:${about}`;
  return {
    ...{ kind: 'call', method, chat, family, about, cost: 1 },
    thread: scalarText(params[table.thread]) || null,
    budget: family === 'send' ? MESSAGE_BUDGETS.unsolicited : OPEN,
    slot: slotOf(changes, message, scalarText(params[table.reaction])),
  };
}

const messageOf = (table: MethodTable, params: Params) => scalarText(params[table.idName(params)]);

// Texts of one message replace each other, and so do two signs of one reaction. A deletion waits for nothing newer.
function slotOf(kind: MethodRow['changes'], message: string, reaction: string): string | null {
  switch (kind) {
    case 'edit':
      return `edit:${message}`;
    case 'reaction':
      return `reaction:${message}:${reaction}`;
    default:
      return null;
  }
}

export interface TableTexts {
  wording: ContentCapability['wording'];
  // The parameters of a text that means no markup.
  plain(text: string): Params;
}

type TableMessages = Required<Pick<Platform, 'budgets' | 'references' | 'content' | 'changes'>>;

export function tableMessages(table: MethodTable, { wording, plain }: TableTexts): TableMessages {
  const apart = [table.chat, ...table.ids];
  return {
    budgets: MESSAGE_BUDGETS,
    references: referencesIn(table.ids),
    content: {
      wording,
      touch(method, body) {
        const family = table.methods.get(method)?.family;
        const isNew = method === table.open;
        if (!isNew && family !== 'edit' && family !== 'delete') return null;
        const params = JSON.parse(body) as Params;
        // Of any other change nobody knows what the message says then.
        const isWhole = isNew || method === table.edit;
        const content = isWhole ? contentOf(body, params, apart) : null;
        return { messages: isNew ? [] : [messageOf(table, params)], content };
      },
    },
    changes: changesBy({
      ...table,
      kindOf: (method) => table.methods.get(method)?.changes ?? null,
      messagesIn: (params) => [messageOf(table, params)].filter((id) => id !== ''),
      textOf: wording,
      editOf: plain,
    }),
  };
}
