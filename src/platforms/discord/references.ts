// Messages a call mentions that had no id yet when it was made: found by their provisional ids, and named by the real
// ones when those are known.

import { seqOfProvisional } from '../../domain/ids.ts';

type Params = Record<string, unknown>;

// Most calls mention none, which is told without reading them.
const MENTION = /"-\d+"/;

export function mentions(body: string): number[] {
  if (!MENTION.test(body)) return [];
  const found: number[] = [];
  rewrite(JSON.parse(body) as Params, (seq) => {
    found.push(seq);
    return null;
  });
  return found;
}

export function named(body: string, ids: ReadonlyMap<number, string>): string {
  const params = JSON.parse(body) as Params;
  rewrite(params, (seq) => ids.get(seq) ?? null);
  return JSON.stringify(params);
}

// Of a thread that is begun from a message the id is the message's.
function rewrite(params: Params, idOf: (seq: number) => string | null): void {
  const renamed = (value: unknown) => {
    const seq = typeof value === 'string' ? seqOfProvisional(value) : null;
    return seq === null ? value : (idOf(seq) ?? value);
  };
  for (const name of ['message_id', 'channel_id', 'thread_id']) {
    if (name in params) params[name] = renamed(params[name]);
  }
  const { messages, message_reference: to } = params;
  if (Array.isArray(messages)) params.messages = messages.map(renamed);
  if (typeof to !== 'object' || to === null || !('message_id' in to)) return;
  params.message_reference = { ...to, message_id: renamed(to.message_id) };
}
