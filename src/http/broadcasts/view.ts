// A broadcast and its recipients as callers see them; times are ISO 8601.

import { showTime, showTimeOrNull } from '../../accept/time.ts';
import type { BroadcastView } from '../../broadcast/broadcast.ts';
import { formatId } from '../../domain/ids.ts';
import type { Recipient, StoredAudience } from '../../store/ports/broadcasts.ts';

export type ShownBroadcast = ReturnType<typeof showBroadcast> & { readonly repeated?: true };

export function showBroadcast(view: BroadcastView) {
  const { id, state, total, progress, perSecond, eta, account, platform, method } = view;
  const { priority, name, correlation, createdAt, notBefore, endedAt } = view;
  return {
    id,
    state,
    total,
    progress,
    perSecond: perSecond === null ? null : Math.round(perSecond * 10) / 10,
    eta: showTimeOrNull(eta),
    account,
    platform,
    method,
    priority,
    name,
    correlation,
    createdAt: showTime(createdAt),
    notBefore: showTimeOrNull(notBefore),
    endedAt: showTimeOrNull(endedAt),
  };
}

export function showRecipient(tag: string, { n, chat, state, reason, seq, at }: Recipient) {
  const delivery = seq === null ? null : formatId(tag, seq);
  return { n, chat, state, reason, delivery, at: showTimeOrNull(at) };
}

export function showAudience({ name, count, fields, createdAt }: StoredAudience) {
  return { name, count, fields, createdAt: showTime(createdAt) };
}
