// Broadcasts for a person's eyes: one whole, a list, a bar, and who got it.

import { duration, fields, moment, momentOrNull, table } from '../terminal/table.ts';

export interface BroadcastAnswer {
  readonly id: string;
  readonly state: string;
  readonly name: string | null;
  readonly account: string;
  readonly method: string;
  readonly total: number;
  readonly progress: Readonly<Record<string, number>>;
  readonly perSecond: number | null;
  readonly eta: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

export interface ShownRecipient {
  readonly n: number;
  readonly chat: string;
  readonly state: string;
  readonly reason: string | null;
  readonly delivery: string | null;
}

const BAR_WIDTH = 24;
const OPEN = ['pending', 'queued'];

export function isOver({ state, progress }: BroadcastAnswer): boolean {
  return state === 'done' || (state === 'cancelled' && progress.queued === 0);
}

// Of all: how many have come to an end.
export function shareOf({ total, progress }: BroadcastAnswer): number {
  const open = OPEN.reduce((sum, state) => sum + (progress[state] ?? 0), 0);
  return total === 0 ? 1 : (total - open) / total;
}

export function barOf(shown: BroadcastAnswer, now: number): string {
  const share = shareOf(shown);
  const full = Math.floor(share * BAR_WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  const left = shown.eta === null ? null : Date.parse(shown.eta) - now;
  return [
    `${bar} ${Math.floor(share * 100)} %`,
    countsOf(shown),
    ...(shown.state === 'running' ? [] : [shown.state]),
    ...(shown.perSecond === null ? [] : [`${shown.perSecond}/s`]),
    ...(left === null || left <= 0 ? [] : [`${duration(left)} left`]),
  ].join(' · ');
}

export function countsOf({ progress, total }: BroadcastAnswer): string {
  const others = Object.entries(progress)
    .filter(([state, count]) => count > 0 && state !== 'sent' && !OPEN.includes(state))
    .map(([state, count]) => `, ${count} ${state}`);
  return `${progress.sent} of ${total} sent${others.join('')}`;
}

export function describeBroadcast(shown: BroadcastAnswer): string {
  return fields([
    ['id', shown.id],
    ['name', shown.name],
    ['state', shown.state],
    ['account', shown.account],
    ['method', shown.method],
    ['progress', countsOf(shown)],
    ['pending', shown.progress.pending === 0 ? null : (shown.progress.pending ?? null)],
    ['per second', shown.perSecond],
    ['done by', momentOrNull(shown.eta)],
    ['created', moment(shown.createdAt)],
    ['ended', momentOrNull(shown.endedAt)],
  ]);
}

export function listBroadcasts(all: readonly BroadcastAnswer[]): string {
  if (all.length === 0) return 'no broadcasts';
  const rows = all.map((shown) => [
    shown.id,
    shown.state,
    shown.name ?? '',
    shown.account,
    `${Math.floor(shareOf(shown) * 100)} %`,
    countsOf(shown),
    momentOrNull(shown.eta ?? shown.endedAt) ?? '',
  ]);
  return table(['id', 'state', 'name', 'account', 'done', 'progress', 'end'], rows);
}

export function listRecipients(page: {
  items: readonly ShownRecipient[];
  next: string | null;
}): string {
  if (page.items.length === 0) return 'nobody';
  const rows = page.items.map(({ n, chat, state, reason, delivery }) => {
    return [n, chat, state, reason ?? '', delivery ?? ''];
  });
  const shown = table(['n', 'chat', 'state', 'reason', 'delivery'], rows);
  return page.next === null ? shown : `${shown}\nmore: --cursor ${page.next}`;
}
