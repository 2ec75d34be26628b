// Messages a call mentions that had no id yet when it was made: what it replies or reacts to, found by their
// provisional ids and named by the real ones when those are known.

import { seqOfProvisional } from '../../domain/ids.ts';
import { fieldsOf } from '../../domain/scalar.ts';
import type { WhatsappParams } from './describe.ts';

const MENTION = '"message_id"';
const HOLDERS = ['context', 'reaction'];

export function mentions(body: string): number[] {
  if (!body.includes(MENTION)) return [];
  const params = JSON.parse(body) as WhatsappParams;
  const ids = [params.message_id, ...HOLDERS.map((name) => fieldsOf(params[name]).message_id)];
  return ids.map(seqOfProvisional).filter((seq) => seq !== null);
}

export function named(body: string, ids: ReadonlyMap<number, string>): string {
  const params: Record<string, unknown> = { ...(JSON.parse(body) as WhatsappParams) };
  const idOf = (id: unknown) => ids.get(seqOfProvisional(id) ?? 0) ?? id;
  if ('message_id' in params) params.message_id = idOf(params.message_id);
  for (const name of HOLDERS) {
    const holder = fieldsOf(params[name]);
    if ('message_id' in holder) params[name] = { ...holder, message_id: idOf(holder.message_id) };
  }
  return JSON.stringify(params);
}
