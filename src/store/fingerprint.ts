// What makes two calls of one caller the same: who sends, what, and where to. A file is named by the digest of its
// content, so equal uploads are equal here. Two holders who ask for the same are two callers: neither may have the
// other's answer.

import { hash } from 'node:crypto';
import type { NewDelivery } from '../domain/delivery.ts';

export type Same = Pick<
  NewDelivery,
  'account' | 'method' | 'chat' | 'thread' | 'session' | 'body' | 'holder'
>;

export function fingerprintOf(call: Same): string {
  const { account, method, chat, thread, session, body, holder } = call;
  const asked = [account, method, chat, thread, session, body];
  // Without one it is computed from the row, which does not know the holder.
  if (holder !== undefined) asked.push(holder);
  return hash('sha1', JSON.stringify(asked), 'base64');
}
