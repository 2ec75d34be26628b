// A message that had no id yet when a call about it was made: found by its provisional id, and named by the real one
// when that is known.

import { seqOfProvisional } from '../../domain/ids.ts';

export function mentions(body: string): number[] {
  if (!body.includes('"message_id"')) return [];
  const seq = seqOfProvisional((JSON.parse(body) as Record<string, unknown>).message_id);
  return seq === null ? [] : [seq];
}

export function named(body: string, ids: ReadonlyMap<number, string>): string {
  const params = JSON.parse(body) as Record<string, unknown>;
  const id = ids.get(seqOfProvisional(params.message_id) ?? 0);
  return id === undefined ? body : JSON.stringify({ ...params, message_id: Number(id) });
}
