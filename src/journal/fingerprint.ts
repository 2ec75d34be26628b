// What makes two calls of one caller the same: who sends, what, and where to. A file is named by the digest of its
// content, so equal uploads are equal here.

import { hash } from 'node:crypto';
import type { NewDelivery } from '../domain/delivery.ts';

export type Same = Pick<NewDelivery, 'account' | 'method' | 'chat' | 'thread' | 'session' | 'body'>;

export function fingerprintOf({ account, method, chat, thread, session, body }: Same): string {
  return hash('sha1', JSON.stringify([account, method, chat, thread, session, body]), 'base64');
}
