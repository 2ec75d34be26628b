// One delivery for a person's eyes: what it is, what became of it, each try.

import { fields, moment, table } from './terminal/table.ts';

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

export function describeDelivery(delivery: ShownDelivery): string {
  const head = fields([
    ['id', delivery.id],
    ['correlation', delivery.correlation],
    ['state', delivery.state],
    ['reason', delivery.reason],
    ['detail', delivery.detail],
    ['account', delivery.account],
    ['chat', delivery.chat],
    ['method', delivery.method],
    ['priority', delivery.priority],
    ['accepted', moment(delivery.acceptedAt)],
    ['settled', delivery.settledAt === null ? null : moment(delivery.settledAt)],
    ['message id', delivery.messageId],
    ['lost answers', delivery.doubts === 0 ? null : delivery.doubts],
    ['body', delivery.body === undefined ? null : JSON.stringify(delivery.body)],
  ]);
  const rows = (delivery.attempts ?? []).map((attempt) => [
    attempt.n,
    moment(attempt.startedAt),
    attempt.endedAt === null ? 'no answer' : moment(attempt.endedAt),
    attempt.outcome ?? 'in doubt',
    attempt.reason ?? '',
    attempt.detail ?? '',
  ]);
  if (rows.length === 0) return head;
  return `${head}\n\n${table(['try', 'began', 'ended', 'outcome', 'reason', 'detail'], rows)}`;
}
