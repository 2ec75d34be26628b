// Streams for a person's eyes.

import { correlationColumn, fields, moment, momentOrNull, table } from '../terminal/table.ts';

export interface StreamAnswer {
  readonly id: string;
  readonly correlation: string;
  readonly state: string;
  readonly reason: string | null;
  readonly account: string;
  readonly chat: string;
  readonly session: string | null;
  readonly transport: string;
  readonly format: string;
  readonly units: number;
  readonly shownUnits: number;
  readonly messages: readonly { id: string; messageId: string | null }[];
  readonly finals: readonly string[];
  readonly openedAt: string;
  readonly endedAt: string | null;
  readonly cadenceMs: number | null;
  readonly superseded: number;
  readonly waitsFor: string | null;
  // Of a stream that was piped in: what its producer said went wrong.
  readonly error?: string | null;
}

export function describeStream(stream: StreamAnswer): string {
  const ids = stream.messages.map(({ messageId }) => messageId ?? '…').join(', ');
  return fields([
    ['id', stream.id],
    ['correlation', stream.correlation],
    ['state', stream.state],
    ['reason', stream.reason],
    ['error', stream.error ?? null],
    ['account', stream.account],
    ['chat', stream.chat],
    ['session', stream.session],
    ['transport', `${stream.transport}, ${stream.format}`],
    ['text', `${stream.units} units, ${stream.shownUnits} shown`],
    ['cadence', cadenceOf(stream)],
    ['waits for', stream.waitsFor],
    ['message ids', ids === '' ? null : ids],
    ['final', stream.finals.length === 0 ? null : stream.finals.join(', ')],
    ['opened', moment(stream.openedAt)],
    ['ended', momentOrNull(stream.endedAt)],
  ]);
}

export function listStreams(streams: readonly StreamAnswer[]): string {
  if (streams.length === 0) return 'no stream is open';
  const correlated = correlationColumn(streams);
  const rows = streams.map((stream) => [
    stream.id,
    ...correlated.of(stream),
    stream.account,
    stream.chat,
    stream.session ?? '',
    stream.units,
    stream.shownUnits,
    cadenceOf(stream) ?? '',
    stream.waitsFor ?? '',
  ]);
  const what = ['account', 'chat', 'session', 'units', 'shown', 'cadence', 'waits for'];
  return table(['id', ...correlated.names, ...what], rows);
}

// In one line, while it grows.
export function progressOf(stream: StreamAnswer): string {
  const parts = [
    `${stream.units} units taken`,
    `${stream.shownUnits} shown`,
    cadenceOf(stream),
    stream.waitsFor === null ? null : `waits for ${stream.waitsFor}`,
  ];
  return `${stream.id}: ${parts.filter((part) => part !== null).join(', ')}`;
}

function cadenceOf({ cadenceMs }: StreamAnswer): string | null {
  return cadenceMs === null ? null : `every ${(cadenceMs / 1000).toFixed(1)} s`;
}
