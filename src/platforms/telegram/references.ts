// Messages and topics a call mentions that had no id yet when it was made: found by their provisional ids, and named by
// the real ones when those are known.

import { seqOfProvisional } from '../../domain/ids.ts';
import { jsonOrUndefined } from '../../system/json.ts';

type Params = Record<string, unknown>;

// Most messages mention none, which is told without reading them.
const MENTION = 'message_id';
const TOPIC_MENTION = '"message_thread_id"';
const NAMES = ['message_id', 'reply_to_message_id', 'message_thread_id'];
const NESTED = ['reply_parameters', 'message_ids'];

// The deliveries it waits for.
export function mentions(body: string): number[] {
  if (!body.includes(MENTION) && !body.includes(TOPIC_MENTION)) return [];
  const found: number[] = [];
  rewrite(JSON.parse(body) as Params, (seq) => {
    found.push(seq);
    return null;
  });
  return found;
}

export function named(body: string, ids: ReadonlyMap<number, string>): string {
  const params = JSON.parse(body) as Params;
  rewrite(params, (seq) => {
    const id = ids.get(seq);
    return id === undefined ? null : Number(id);
  });
  return JSON.stringify(params);
}

function rewrite(params: Params, idOf: (seq: number) => number | null): void {
  const renamed = (value: unknown) => {
    const seq = seqOfProvisional(value);
    return seq === null ? value : (idOf(seq) ?? value);
  };
  for (const name of NAMES) {
    if (name in params) params[name] = renamed(params[name]);
  }
  for (const name of NESTED) {
    const given = params[name];
    const value: unknown = typeof given === 'string' ? parseOrNull(given) : given;
    if (typeof value !== 'object' || value === null) continue;
    const changed = Array.isArray(value)
      ? value.map(renamed)
      : { ...value, message_id: renamed((value as Params).message_id) };
    params[name] = typeof given === 'string' ? JSON.stringify(changed) : changed;
  }
}

function parseOrNull(text: string): unknown {
  return jsonOrUndefined(text) ?? null;
}
