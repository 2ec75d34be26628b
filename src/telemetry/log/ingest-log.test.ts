import { expect, test } from 'vitest';
import { ingestLog } from './ingest-log.ts';

function lines() {
  const told: unknown[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void told.push([level, fields, message]);
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { told, tell: ingestLog(log, (id) => (id === 1 ? '@news' : null)) };
}

test('a forced mode is a line', () => {
  const { told, tell } = lines();
  tell({ kind: 'forced', source: 1, reason: 'stale_lpa' });
  const fields = { source: 1, channel: '@news', mode: 'historical', reason: 'stale_lpa' };
  expect(told).toEqual([['info', fields, 'historical mode forced']]);
});

test('waits without an end, failures, dead ones and faults are told by how bad they are', () => {
  const { told, tell } = lines();
  tell({ kind: 'posts', source: 1, ids: ['1'] });
  tell({ kind: 'looked', source: 1 });
  tell({ kind: 'gap', source: 1, after: '1', before: '5' });
  tell({ kind: 'waits', source: 1, method: 'history', until: Number.MAX_SAFE_INTEGER });
  tell({ kind: 'unread', source: 1, detail: 'no account to read with: log in' });
  tell({ kind: 'failed', source: 1, reason: 'network', detail: 'away' });
  tell({ kind: 'dead', source: 2, reason: 'no_channel', detail: 'gone' });
  tell({ kind: 'fault', source: null, error: new Error('x') });
  const levels = told.map((line) => (line as [string])[0]);
  expect(levels).toEqual(['debug', 'debug', 'warn', 'warn', 'warn', 'warn', 'error', 'error']);
});
