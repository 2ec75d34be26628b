import { describe, expect, test } from 'vitest';
import type { About, RoadEvent } from '../../domain/event.ts';
import { Board, SERIES_MAX, Spread } from './counters.ts';
import { expose } from './exposition.ts';
import { createMetrics } from './metrics.ts';

const about: About = {
  correlation: 'order 9',
  seq: 7,
  id: 'abcde-7',
  account: 'telegram:42',
  chat: '-100',
  lane: '',
  method: 'sendMessage',
  priority: 'normal',
};

function attempted(changes: Partial<About>, reason: string | null = null): RoadEvent {
  return {
    ...{ kind: 'attempted', at: 1, about: { ...about, ...changes }, n: 1, reason },
    outcome: reason === null ? 'sent' : 'failed',
    ...{ tookMs: 20, waitedMs: 0, retryAfterMs: null, brokenStatus: null, payload: null },
  };
}

const linesOf = (text: string) => text.split('\n').filter((line) => /^sluice_/.test(line));

describe('the text', () => {
  test('a spread is told as a rising sum over its bounds', () => {
    const spread = new Spread([1, 2]);
    for (const value of [0.5, 1, 1.5, 9]) spread.add(value);
    const kind = { type: 'histogram', labels: ['of'], help: 'Two\nlines.' } as const;
    const text = expose([{ name: 'took', kind, series: new Map([['of="a"', spread]]) }]);
    expect(text.split('\n')).toEqual([
      '# HELP took Two\\nlines.',
      '# TYPE took histogram',
      'took_bucket{of="a",le="1"} 2',
      'took_bucket{of="a",le="2"} 3',
      'took_bucket{of="a",le="+Inf"} 4',
      'took_sum{of="a"} 12',
      'took_count{of="a"} 4',
      '',
    ]);
  });

  test('a label cannot break out of its quotes', () => {
    const board = new Board();
    board.count('sluice_limited_total', { platform: 'a"b\\c\nd' }).value = 1;
    expect(expose(board.families())).toContain(
      'sluice_limited_total{platform="a\\"b\\\\c\\nd"} 1\n',
    );
  });

  test('a metric has the labels of the table, all of them and no other', () => {
    const board = new Board();
    expect(() => board.count('sluice_limited_total')).toThrow('other labels');
    expect(() => board.count('sluice_limited_total', { chat: '1' })).toThrow('other labels');
  });
});

describe('how many series there are', () => {
  test('does not depend on how many chats, accounts and deliveries there are', async () => {
    const run = async (size: number) => {
      const metrics = createMetrics({ process: false });
      for (let i = 0; i < size; i++) {
        const who = {
          seq: i,
          id: `abcde-${i}`,
          account: `telegram:${77_000 + i}` as const,
          chat: `-${i}9`,
        };
        metrics.listen({ kind: 'accepted', at: 1, about: { ...about, ...who } });
        metrics.listen(attempted(who));
        metrics.countUpdate(who.account, 'received');
        metrics.countFull(who.account);
      }
      return linesOf(await metrics.text());
    };
    const few = await run(2);
    const many = await run(20_000);
    expect(many).toHaveLength(few.length);
    expect(many.filter((line) => /77\d\d\d|abcde|chat|account=/.test(line))).toEqual([]);
  });

  test('is bounded also when a label has more values than it should', async () => {
    const metrics = createMetrics({ process: false });
    for (let i = 0; i < 2 * SERIES_MAX; i++) metrics.listen(attempted({}, `surprise_${i}`));
    const lines = linesOf(await metrics.text());
    const troubles = lines.filter((line) => line.startsWith('sluice_troubles_total'));
    expect(troubles).toHaveLength(SERIES_MAX);
    const other = 'sluice_troubles_total{platform="other",outcome="other",reason="other"}';
    expect(troubles.at(-1)).toBe(`${other} ${SERIES_MAX + 1}`);
  });
});

describe('before anything happened', () => {
  test('what a platform can count is there, at 0, so that the first rise is seen', async () => {
    const metrics = createMetrics({ process: false });
    metrics.meet('telegram');
    const text = await metrics.text();
    for (const line of [
      'sluice_limited_total{platform="telegram"} 0',
      'sluice_moves_total{platform="telegram",to="dead"} 0',
      'sluice_attempts_total{platform="telegram",outcome="sent"} 0',
      'sluice_queue_full_total{platform="telegram"} 0',
      'sluice_live_watchdog_finals_total{platform="telegram"} 0',
      'sluice_breaker_opened_total{platform="telegram"} 0',
      'sluice_tokens_refused_total{platform="telegram"} 0',
      'sluice_journal_commit_seconds_count 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });
});

describe('what comes from beside the road', () => {
  test('commits, full queues and recipients of broadcasts', async () => {
    const metrics = createMetrics({ process: false });
    metrics.countCommit(3, 4);
    metrics.countFull('telegram:42');
    metrics.countRecipient('telegram', 'sent');
    metrics.broadcastGauges(() => [{ platform: 'telegram', state: 'running' }]);
    const text = await metrics.text();
    for (const line of [
      'sluice_journal_commit_seconds_bucket{le="0.0025"} 0',
      'sluice_journal_commit_seconds_bucket{le="0.005"} 1',
      'sluice_journal_batch_commands_sum 3',
      'sluice_queue_full_total{platform="telegram"} 1',
      'sluice_broadcast_recipients_total{platform="telegram",end="sent"} 1',
      'sluice_broadcasts{platform="telegram",state="running"} 1',
      'sluice_broadcasts{platform="telegram",state="paused"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });
});
