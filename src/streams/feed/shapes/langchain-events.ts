// LangChain's `astream_events`: what every part of a chain does. The models' pieces make the text; what chains and
// parsers pass on is the same again. The run that began first is the whole.

import { MessageTexts } from '../message-texts.ts';
import {
  at,
  BREAK,
  done,
  failed,
  OPEN,
  type Shape,
  type ShapeReader,
  type ShapeReading,
} from '../shape-port.ts';
import { chainMessageOf } from './langchain-message.ts';

const EVENT = /^on_(chat_model|llm|chain|tool|retriever|prompt|parser|custom)_/;

export const langchainEvents: Shape = {
  name: 'langchain-events',
  producer: 'LangChain `astream_events`, LangServe `/stream_events`',
  sign: 'a member `event` with `on_…`',
  owns: ({ json }) => typeof json.event === 'string' && EVENT.test(json.event),
  reader: readRuns,
};

function readRuns(): ShapeReader {
  const texts = new MessageTexts();
  let first: unknown;
  return ({ name, json }) => {
    const { event, run_id: run } = json;
    if (name === 'end' && event === undefined) return done();
    if (typeof event !== 'string') return null;
    first ??= run;
    if (event === 'on_chat_model_stream' || event === 'on_llm_stream') {
      const text = textOf(at(json, 'data', 'chunk'));
      return { events: texts.piece(String(run), text), isOpen: true };
    }
    if (event.endsWith('_error') && run === first) return failed(at(json, 'data', 'error'));
    return lifecycle(event, run === first);
  };
}

function lifecycle(event: string, isWhole: boolean): ShapeReading {
  if (event.endsWith('_end') && isWhole) return done();
  return event === 'on_tool_start' ? BREAK : OPEN;
}

// Of models that are no chat, the piece is a text, or has one.
function textOf(chunk: unknown): unknown {
  return (
    chainMessageOf(chunk)?.text ?? at(chunk, 'message', 'content') ?? at(chunk, 'text') ?? chunk
  );
}
