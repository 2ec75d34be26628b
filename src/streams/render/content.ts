// A stream's text as the messages it makes, each with a digest of what it shows. How it is cut depends on its
// transport: chunks where a paragraph was finished when they were sent, everything else where a message is full.

import { hash } from 'node:crypto';
import type { LiveOutput, LivePlace } from '../../platforms/platform.ts';
import type { Stream } from '../stream-state.ts';

export interface RenderedMessage {
  readonly content: Readonly<Record<string, unknown>>;
  readonly digest: string;
  readonly place: LivePlace;
}

// Of the text as it is on disk: what is shown must survive us.
export function messagesOf(stream: Stream, live: LiveOutput, isFinal: boolean): RenderedMessage[] {
  const { durable: text, asked, transport } = stream;
  const contents =
    transport === 'chunks'
      ? chunksOf(stream, isFinal).flatMap((chunk) => live.render(chunk, asked.format, true))
      : live.render(text, asked.format, isFinal);
  const { chat, thread, params } = asked;
  return contents.map((content, i) => {
    // Of chunks only the final tells which is the last.
    const isEnd = i === contents.length - 1 && (isFinal || transport !== 'chunks');
    const place = { chat, thread, params, isFirst: i === 0, isLast: isEnd };
    const digest = hash('sha1', JSON.stringify([content, isEnd]), 'base64');
    return { content, digest, place };
  });
}

function chunksOf({ durable: text, cuts }: Stream, isFinal: boolean): string[] {
  const ends = isFinal ? [...cuts, text.length] : cuts;
  return ends.map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1]!, end));
}
