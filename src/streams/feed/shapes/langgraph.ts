// LangGraph's server and its `stream`: pieces of messages (`messages`), messages so far (`messages/partial`), states
// (`values`) and changes of states (`updates`), which say the same several times over if several modes are asked for.
// A message is known by its id. What stood before the newest question is history.

import { MessageTexts } from '../message-texts.ts';
import {
  asJson,
  CLOSED,
  done,
  failed,
  type Payload,
  type Shape,
  type ShapeEvent,
  type ShapeReader,
} from '../shape-port.ts';
import { type ChainMessage, chainMessageOf } from './langchain-message.ts';

// Behind the bar: the subgraph.
const MODES =
  /^(messages|messages\/partial|messages\/complete|messages\/metadata|values|updates)(?:\||$)/;

export const langgraph: Shape = {
  name: 'langgraph',
  producer: 'LangGraph: `messages`, `values`, `updates`',
  sign: 'events `messages…`, `values`, `updates`; or an array of a LangChain message and its metadata',
  owns: (payload) => modeOf(payload) !== null,
  reader: readGraph,
};

function modeOf({ name, value, json }: Payload): string | null {
  const mode = MODES.exec(name ?? '')?.[1] ?? null;
  if (mode !== null) return mode;
  if (Array.isArray(value)) return chainMessageOf(value[0]) === null ? null : 'messages';
  // As lines, each says its mode.
  return typeof json.type === 'string' && 'data' in json
    ? (MODES.exec(json.type)?.[1] ?? null)
    : null;
}

function readGraph(): ShapeReader {
  const texts = new MessageTexts();
  return (payload) => {
    if (payload.name === 'end') return done();
    if (payload.name === 'error') return failed(errorOf(payload));
    const mode = modeOf(payload);
    if (mode === null || payload.value === undefined) return null;
    const isEnveloped = payload.name === null && !Array.isArray(payload.value);
    const data = isEnveloped ? payload.json.data : payload.value;
    switch (mode) {
      case 'messages': {
        const message = chainMessageOf(Array.isArray(data) ? data[0] : data);
        if (message === null) return CLOSED;
        const events = message.isFromModel ? texts.piece(message.id, message.text) : [];
        return { events: [...events, ...breakAfter(message)], isOpen: !message.isFinished };
      }
      case 'messages/partial':
        return { events: wholes(texts, messagesOf(data)), isOpen: true };
      case 'messages/metadata':
        return { events: [], isOpen: null };
      default:
        return { events: wholes(texts, sinceQuestion(messagesOf(data))), isOpen: false };
    }
  };
}

function errorOf({ json }: Payload): unknown {
  return { type: json.error, message: json.message };
}

// Of a list, of a state, or of what each node changed.
function messagesOf(data: unknown): ChainMessage[] {
  const json = asJson(data);
  const lists =
    json === null
      ? [data]
      : [json.messages, ...Object.values(json).map((each) => asJson(each)?.messages)];
  const items = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return items.map(chainMessageOf).filter((message) => message !== null);
}

function sinceQuestion(messages: readonly ChainMessage[]): readonly ChainMessage[] {
  return messages.slice(messages.findLastIndex(({ isFromUser }) => isFromUser) + 1);
}

function wholes(texts: MessageTexts, messages: readonly ChainMessage[]): ShapeEvent[] {
  return messages.flatMap((message) =>
    message.isFromModel ? texts.whole(message.id, message.text) : [],
  );
}

function breakAfter({ isTool }: ChainMessage): ShapeEvent[] {
  return isTool ? [{ kind: 'break' }] : [];
}
