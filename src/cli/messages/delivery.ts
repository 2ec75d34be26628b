// One delivery for a person's eyes: what it is, what became of it, each try.

import type { Client } from '../client.ts';
import { fields, moment, table } from '../terminal/table.ts';

// What reason codes mean, in words.
export type Meanings = Readonly<Record<string, string>>;

export interface ShownDelivery {
  readonly id: string;
  readonly correlation: string;
  readonly state: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly account: string;
  readonly chat: string;
  readonly method: string;
  readonly priority: string;
  readonly acceptedAt: string;
  readonly settledAt: string | null;
  readonly tries: number;
  readonly doubts: number;
  readonly messageId: string | null;
  readonly body?: unknown;
  readonly attempts?: readonly {
    n: number;
    startedAt: string;
    endedAt: string | null;
    outcome: string | null;
    reason: string | null;
    detail: string | null;
  }[];
}

export async function meaningsFrom(client: Client): Promise<Meanings> {
  const { reasons } = (await client.call('GET', '/v1/reasons')) as { reasons: Meanings };
  return reasons;
}

export function describeDelivery(delivery: ShownDelivery, said: Meanings): string {
  const { reason } = delivery;
  const head = fields([
    ['id', delivery.id],
    ['correlation', delivery.correlation],
    ['state', delivery.state],
    ['reason', reason === null ? null : (said[reason] ?? reason)],
    ['detail', delivery.detail],
    ['account', delivery.account],
    ['chat', delivery.chat],
    ['method', delivery.method],
    ['priority', delivery.priority],
    ['accepted', moment(delivery.acceptedAt)],
    ['settled', delivery.settledAt === null ? null : moment(delivery.settledAt)],
    ['message id', delivery.messageId],
    ['code', reason],
    ['lost answers', delivery.doubts === 0 ? null : delivery.doubts],
    ['body', delivery.body === undefined ? null : JSON.stringify(delivery.body)],
  ]);
  const rows = (delivery.attempts ?? []).map((attempt) => [
    attempt.n,
    moment(attempt.startedAt),
    attempt.endedAt === null ? 'no answer' : moment(attempt.endedAt),
    attempt.outcome ?? 'in doubt',
    attempt.reason === null ? '' : (said[attempt.reason] ?? attempt.reason),
    attempt.detail ?? '',
    attempt.reason ?? '',
  ]);
  if (rows.length === 0) return head;
  const names = ['try', 'began', 'ended', 'outcome', 'why', 'detail', 'code'];
  return `${head}\n\n${table(names, rows)}`;
}
