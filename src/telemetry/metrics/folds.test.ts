import { describe, expect, test } from 'vitest';
import type { About, RoadEvent } from '../../domain/event.ts';
import { ACCEPTED_LINES_PER_S_MAX, roadLog } from '../log/road-log.ts';
import { createMetrics, type GaugeReading, METRICS } from './metrics.ts';

const about: About = {
  seq: 7,
  id: 'abcde-7',
  correlation: 'order 9',
  account: 'telegram:42',
  chat: '-100',
  lane: 's:one',
  method: 'sendMessage',
  priority: 'high',
};

const attempted: RoadEvent = {
  kind: 'attempted',
  at: 2000,
  about,
  n: 2,
  outcome: 'limited',
  reason: 'limited',
  tookMs: 120,
  waitedMs: 900,
  retryAfterMs: 3000,
  brokenStatus: null,
  payload: null,
};

const moved = (
  to: Extract<RoadEvent, { kind: 'moved' }>['to'],
  reason: string | null = null,
): RoadEvent => ({
  kind: 'moved',
  at: 2000,
  about,
  from: 'sending',
  to,
  reason,
  dueAt: to === 'queued' ? 5000 : 0,
  ageMs: 1500,
});

const reading: GaugeReading = {
  now: 10_000,
  depths: { critical: 1, high: 2, normal: 3, low: 4, retry: 5, inFlight: 6, oldestDueAt: 4000 },
  queueBytes: [{ platform: 'telegram', all: 30, largest: 20 }],
  accounts: [
    { platform: 'telegram', paused: false, refused: null, breaker: { state: 'closed' } },
    { platform: 'telegram', paused: true, refused: null, breaker: { state: 'open' } },
    { platform: 'telegram', paused: false, refused: 'unauthorized', breaker: { state: 'open' } },
  ],
  freezesActive: 2,
  limitsLowered: 1,
  limitsFilled: [{ platform: 'telegram', rule: 'group_minute', calls: 3 }],
  dead: 9,
  uncertain: 3,
  storeBytes: 4096,
  spoolBytes: 512,
  diskFreeBytes: 8192,
  storeTrouble: null,
  storeLosses: 0,
  fleet: null,
  spill: null,
  lastTurnAt: 9000,
  periodic: [
    { name: 'sweep_spool', failures: 2, overdueMs: 0 },
    { name: 'log_queue', failures: 0, overdueMs: 1500 },
  ],
};

describe('metrics', () => {
  test('every metric of the table is exported with its help, also before anything happened', async () => {
    const text = await createMetrics({ process: false }).text();
    for (const [name, kind] of Object.entries(METRICS)) {
      expect(text).toContain(`# HELP ${name} ${kind.help}`);
      expect(text).toContain(`# TYPE ${name} ${kind.type}`);
      expect(kind.labels).not.toContain('chat');
      expect(kind.labels).not.toContain('account');
    }
    expect(text).toContain('sluice_rate_limited_drops_total 0');
  });

  test('counts what the road tells', async () => {
    const metrics = createMetrics({ process: false });
    metrics.listen({ kind: 'accepted', at: 1, about });
    metrics.listen(attempted);
    metrics.listen(moved('queued', 'limited'));
    metrics.listen(moved('sent'));
    metrics.listen({
      kind: 'frozen',
      at: 1,
      account: about.account,
      scope: 'chat',
      until: 2,
      cause: '429',
    });
    metrics.countRequest('/v1/messages', 202);
    const text = await metrics.text();
    for (const line of [
      'sluice_accepted_total{platform="telegram",priority="high"} 1',
      'sluice_attempts_total{platform="telegram",outcome="limited"} 1',
      'sluice_limited_total{platform="telegram"} 1',
      'sluice_retry_after_seconds_total{platform="telegram"} 3',
      'sluice_moves_total{platform="telegram",to="sent"} 1',
      'sluice_wait_seconds_sum{platform="telegram",priority="high"} 0.9',
      'sluice_attempt_seconds_count{platform="telegram",outcome="limited"} 1',
      'sluice_delivery_seconds_sum{platform="telegram",priority="high"} 1.5',
      'sluice_freezes_total{platform="telegram"} 1',
      'sluice_http_requests_total{route="/v1/messages",status="2xx"} 1',
      'sluice_rate_limited_drops_total 0',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain('-100');
  });

  test('5xx by status, and calls that were passed through; both under the described names too', async () => {
    const metrics = createMetrics({ process: false });
    metrics.meet('telegram');
    expect(await metrics.text()).toContain('\ntelegram_5xx_count 0');
    for (const brokenStatus of [502, 502, 521]) {
      metrics.listen({ ...attempted, outcome: 'uncertain', brokenStatus } as RoadEvent);
    }
    metrics.listen(attempted);
    for (const status of [200, 404, 429, 503, null]) metrics.countPassed(about.account, status);
    const text = await metrics.text();
    for (const line of [
      'sluice_upstream_errors_total{platform="telegram",status="502"} 2',
      'sluice_upstream_errors_total{platform="telegram",status="503"} 0',
      'sluice_upstream_errors_total{platform="telegram",status="521"} 1',
      ...['2xx', '4xx', '429', '5xx', 'none'].map(
        (status) => `sluice_passed_total{platform="telegram",status="${status}"} 1`,
      ),
      'sluice_limited_total{platform="telegram"} 1',
      '# TYPE telegram_429_count counter\ntelegram_429_count 2',
      'telegram_5xx_count 4',
      'telegram_rate_limited_drops 0',
    ]) {
      expect(text).toContain(line);
    }
  });

  test('a delivery that a limit kills would be seen', async () => {
    const metrics = createMetrics({ process: false });
    metrics.listen(moved('dead', 'limited'));
    const text = await metrics.text();
    expect(text).toContain('sluice_rate_limited_drops_total 1');
    expect(text).toContain('telegram_rate_limited_drops 1');
  });

  test('gauges show the present, and only that', async () => {
    const metrics = createMetrics({ process: false });
    let now = reading;
    metrics.gauges(async () => now);
    const first = await metrics.text();
    expect(first).toContain('sluice_queue_depth{priority="low"} 4');
    expect(first).toContain('sluice_queue_bytes{platform="telegram"} 30');
    expect(first).toContain('sluice_queue_bytes_largest{platform="telegram"} 20');
    expect(first).toContain('sluice_oldest_due_seconds 6');
    expect(first).toContain('sluice_last_turn_seconds 1');
    expect(first).toContain('sluice_periodic_failures_total{work="sweep_spool"} 2');
    expect(first).toContain('sluice_periodic_overdue_seconds{work="log_queue"} 1.5');
    expect(first).toContain('sluice_journal_up 1');
    expect(first).toContain('sluice_disk_free_bytes 8192');
    expect(first).toContain('sluice_accounts{platform="telegram",state="refused"} 1');
    expect(first).toContain('sluice_breakers{platform="telegram",state="open"} 2');
    now = {
      ...reading,
      storeTrouble: 'disk_full',
      accounts: [],
      depths: { ...reading.depths, oldestDueAt: null },
    };
    const second = await metrics.text();
    expect(second).not.toContain('state="open"');
    expect(second).toContain('sluice_journal_up 0');
    expect(second).toContain('sluice_oldest_due_seconds 0');
  });
});

describe('the log of the road', () => {
  function lines() {
    const told: { level: string; fields: Record<string, unknown>; message: string }[] = [];
    const at = (level: string) => (fields: object, message: string) => {
      told.push({ level, fields: { ...fields }, message });
    };
    return {
      told,
      log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    };
  }

  test('one wide line when a delivery ends', () => {
    const { told, log } = lines();
    const listen = roadLog(log);
    listen({ kind: 'accepted', at: 1, about });
    listen({ ...attempted, outcome: 'sent', retryAfterMs: null } as RoadEvent);
    listen(moved('sent'));
    expect(told.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info accepted',
      'info sent',
    ]);
    // Acceptance says whose it is in the same words, so that the two lines can be joined.
    expect(told[1]!.fields).toMatchObject(told[0]!.fields);
    expect(told[1]!.fields).toEqual({
      delivery: 'abcde-7',
      correlation: 'order 9',
      platform: 'telegram',
      account: 'telegram:42',
      chat: '-100',
      lane: 's:one',
      session: 'one',
      method: 'sendMessage',
      priority: 'high',
      from: 'sending',
      ageMs: 1500,
      tries: 2,
      outcome: 'sent',
      waitedMs: 900,
      tookMs: 120,
    });
  });

  test('acceptances are told up to a bound, then how many were left out', () => {
    const { told, log } = lines();
    const listen = roadLog({ ...log, isLevelEnabled: (level) => level !== 'debug' });
    for (let n = 0; n < ACCEPTED_LINES_PER_S_MAX + 7; n++) {
      listen({ kind: 'accepted', at: 5000 + n, about });
    }
    expect(told).toHaveLength(ACCEPTED_LINES_PER_S_MAX);
    // Whatever comes next says so, and the next second has lines again.
    listen({
      kind: 'frozen',
      at: 6000,
      account: about.account,
      scope: 'chat:1',
      until: 1,
      cause: '',
    });
    listen({ kind: 'accepted', at: 6001, about });
    expect(told.slice(ACCEPTED_LINES_PER_S_MAX)).toMatchObject([
      { level: 'info', message: 'accepted more', fields: { platform: 'telegram', leftOut: 7 } },
      { level: 'warn', message: 'frozen', fields: { platform: 'telegram' } },
      { level: 'info', message: 'accepted', fields: { platform: 'telegram', delivery: about.id } },
    ]);
  });

  test('at level debug no acceptance is left out, at level warn none is told', () => {
    const loud = lines();
    const [all, none] = [roadLog(loud.log), lines()];
    const quiet = roadLog({ ...none.log, isLevelEnabled: (level) => level === 'warn' });
    for (let n = 0; n < ACCEPTED_LINES_PER_S_MAX + 7; n++) {
      for (const listen of [all, quiet]) listen({ kind: 'accepted', at: 5000, about });
    }
    all({ kind: 'accepted', at: 6000, about });
    expect(loud.told.filter(({ level }) => level === 'debug')).toHaveLength(7);
    expect(loud.told).toHaveLength(ACCEPTED_LINES_PER_S_MAX + 8);
    expect(none.told).toEqual([]);
  });

  test('trouble is a warning with its cause', () => {
    const { told, log } = lines();
    const listen = roadLog(log);
    listen({ ...attempted, payload: '9 characters: text (1 characters)' } as RoadEvent);
    listen(moved('queued', 'limited'));
    listen(moved('dead', 'chat_not_found'));
    expect(told[0]).toMatchObject({
      level: 'warn',
      message: 'Rate limited',
      fields: {
        outcome: 'limited',
        retryAfterMs: 3000,
        dueAt: '1970-01-01T00:00:05.000Z',
        payload: '9 characters: text (1 characters)',
      },
    });
    // Where it goes next is routine.
    expect(told[1]).toMatchObject({ level: 'debug', message: 'retry' });
    expect(told[1]!.fields).toMatchObject({ reason: 'limited', tries: 2 });
    expect(told[2]).toMatchObject({ level: 'warn', message: 'dead' });
    expect(told[2]!.fields).not.toHaveProperty('tries');
  });

  test('a refusal for its rate is told once, whatever becomes of the message', () => {
    for (const to of ['queued', 'superseded', 'expired', 'dead'] as const) {
      const { told, log } = lines();
      const listen = roadLog({ ...log, isLevelEnabled: (level) => level === 'warn' });
      listen({ ...attempted } as RoadEvent);
      listen(moved(to, 'limited'));
      const limited = told.filter(({ message }) => message === 'Rate limited');
      expect(limited, to).toHaveLength(1);
      expect(limited[0]).toMatchObject({ level: 'warn', fields: { correlation: 'order 9' } });
    }
    const { told, log } = lines();
    const listen = roadLog(log);
    listen({ ...attempted, outcome: 'failed', retryAfterMs: null } as RoadEvent);
    listen(moved('queued', 'failed'));
    expect(told.map(({ message }) => message)).toEqual(['retry']);
  });

  test('a store that takes nothing is an error with what to do, once a minute', () => {
    const { told, log } = lines();
    const listen = roadLog(log);
    for (const at of [0, 100, 200, 61_000]) listen({ kind: 'store', at, trouble: 'disk_full' });
    listen({ kind: 'store', at: 62_000, trouble: null });
    expect(told.map(({ level }) => level)).toEqual(['error', 'error', 'info']);
    expect(told[0]).toMatchObject({ message: expect.stringContaining('free space') });
  });

  test('a breaker that is open for good has no end', () => {
    const { told, log } = lines();
    const until = Number.POSITIVE_INFINITY;
    const account = about.account;
    roadLog(log)({
      kind: 'breaker',
      at: 1,
      account,
      state: 'open',
      until,
      cause: 'unauthorized',
      detail: '',
    });
    expect(told[0]).toMatchObject({ level: 'warn', fields: { state: 'open', until: null } });
  });

  test('a refused token is told with its account and what the platform said, and that it is taken again', () => {
    const { told, log } = lines();
    const { account } = about;
    const detail = 'the platform says 401: Unauthorized';
    roadLog(log)({ kind: 'token', at: 1, account, state: 'refused', detail });
    roadLog(log)({ kind: 'token', at: 2, account, state: 'taken', detail: '' });
    expect(told).toMatchObject([
      {
        level: 'warn',
        message: 'token refused',
        fields: { account, detail, platform: 'telegram' },
      },
      { level: 'info', message: 'token accepted again', fields: { account } },
    ]);
  });
});
