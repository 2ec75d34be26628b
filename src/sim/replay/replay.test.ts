import { describe, expect, test } from 'vitest';
import { worldEngineWith } from '../../app/simulated.ts';
import { defaultConfig } from '../../config/config.ts';
import { RECORDING_VERSION, type RecordedDelivery } from '../../domain/recording.ts';
import { figuresOf, recordedFigures } from './figures.ts';
import { type Recording, readRecording } from './recording.ts';
import { networkOf, replay, replayable } from './replay.ts';

const SINCE = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;

const delivery = (changes: Partial<RecordedDelivery> = {}): RecordedDelivery => ({
  ...{ at: 0, platform: 'telegram', account: 'a', chat: 'c', lane: '', slot: null },
  ...{ method: 'sendMessage', family: 'send', budget: 'broadcast', priority: 'normal' },
  ...{ cost: 1, bytes: 100, live: false, final: false, notBefore: 0, expiresAt: 0 },
  ...{ state: 'sent', endedAt: 80, attempts: [{ at: 0, tookMs: 80, outcome: 'sent' }] },
  ...changes,
});

const dayOf = (deliveries: readonly RecordedDelivery[]): Recording => ({
  ...{ recording: RECORDING_VERSION, since: SINCE, until: SINCE + HOUR_MS, deliveries },
});

const played = (deliveries: readonly RecordedDelivery[], changes = {}, truth = 1) =>
  replay({
    recording: dayOf(deliveries),
    makeEngine: worldEngineWith(defaultConfig(changes)),
    ...{ seed: 1, truth },
  });

// Thirty messages of one group within a second.
const GROUP = Array.from({ length: 30 }, (_, i) => delivery({ at: i * 30, chat: '-g' }));

describe('a recorded day, replayed', () => {
  test('is paced by the settings: half the budget takes longer, and the same day comes out the same', async () => {
    const asSet = await played(GROUP);
    const half = await played(GROUP, { groupMpm: 10 });
    expect(asSet).toMatchObject({ deliveries: 30, sent: 30, limited: 0 });
    expect(half).toMatchObject({ deliveries: 30, sent: 30, limited: 0 });
    expect(half.waits!.p95Ms).toBeGreaterThan(asSet.waits!.p95Ms * 1.5);
    expect(await played(GROUP)).toEqual(asSet);
  });

  test('meets a platform that is stricter than it is believed', async () => {
    expect((await played(GROUP, {}, 0.3)).limited).toBeGreaterThan(0);
  });

  test('edits of one message replace each other, and its final comes at once in a quiet chat', async () => {
    const edit = { family: 'edit', method: 'editMessageText', slot: 's', chat: '-g' } as const;
    const edits = Array.from({ length: 40 }, (_, i) => {
      return delivery({ ...edit, at: i * 250, live: true, final: i === 39 });
    });
    const figures = await played(edits);
    expect(figures).toMatchObject({ sent: 40, limited: 0, finals: { count: 1 } });
    expect(figures.waits!.p99Ms).toBeLessThan(60_000);
  });

  test('answers are no broadcast, albums count for what they hold, and some wait for their time', async () => {
    const answers = Array.from({ length: 60 }, (_, i) => {
      return delivery({ at: 10, chat: `p${i}`, budget: 'reply', priority: 'high' });
    });
    const album = delivery({ chat: '-g', cost: 5 });
    const later = delivery({ chat: 'late', notBefore: 600_000 });
    const figures = await played([album, later, ...answers]);
    expect(figures).toMatchObject({ deliveries: 62, sent: 62, limited: 0 });
    expect(figures.classes.high!.p99Ms).toBeLessThan(1000);
    // Counted from when it was due.
    expect(figures.waits!.p99Ms).toBeLessThan(1000);
  });

  test('leaves out what has no simulator, no limit, or was taken back', () => {
    const others = [
      delivery({ platform: 'other' }),
      delivery({ family: 'free' }),
      delivery({ state: 'cancelled' }),
    ];
    expect(replayable(dayOf([delivery(), ...others]))).toEqual([delivery()]);
  });

  test('has a line as slow as the recorded one', () => {
    const took = [80, 100, 120].map((tookMs) =>
      delivery({ attempts: [{ at: 0, tookMs, outcome: 'sent' }] }),
    );
    expect(networkOf(took)).toEqual({ latencyMs: 50, jitterMs: 0 });
    expect(networkOf([]).latencyMs).toBeGreaterThan(0);
  });
});

describe('figures', () => {
  test('of what was recorded: waits from when it was due, refusals, finals that came late or never', () => {
    const limited = { at: 0, tookMs: 5, outcome: 'limited' } as const;
    const day = [
      delivery({ endedAt: 100, attempts: [limited, limited] }),
      delivery({ at: 100, notBefore: 1000, endedAt: 1400 }),
      delivery({ final: true, endedAt: 3001 }),
      delivery({ final: true, state: 'dead', endedAt: 5 }),
      delivery({ final: true, endedAt: 10, priority: 'critical' }),
    ];
    expect(recordedFigures(day)).toMatchObject({
      ...{ deliveries: 5, sent: 4, limited: 2, finalsLate: 2 },
      waits: { count: 4, p50Ms: 100, p99Ms: 400 },
      classes: { critical: { p50Ms: 10 }, low: null },
      finals: { count: 2 },
    });
    expect(figuresOf([], 0)).toMatchObject({ sent: 0, waits: null, finals: null });
  });
});

describe('reading a recording', () => {
  const lines = async function* (...each: string[]) {
    yield* each;
  };
  const { deliveries: _, ...head } = dayOf([]);

  test('in whatever order its lines are', async () => {
    const [late, early] = [delivery({ at: 9 }), delivery({ at: 1 })];
    const texts = [head, late, early].map((each) => JSON.stringify(each));
    expect(await readRecording(lines(...texts, ''))).toEqual({
      kind: 'read',
      recording: dayOf([early, late]),
    });
  });

  test('of the first version, in which a budget had another name', async () => {
    const { budget: gate, ...rest } = delivery({ budget: 'reply' });
    const texts = [
      { ...head, recording: 1 },
      { ...rest, gate },
    ].map((each) => JSON.stringify(each));
    expect(await readRecording(lines(...texts))).toEqual({
      kind: 'read',
      recording: dayOf([delivery({ budget: 'reply' })]),
    });
  });

  test.each([
    ['no head', [JSON.stringify(delivery())], 1],
    ['a later version', [JSON.stringify({ ...head, recording: RECORDING_VERSION + 1 })], 1],
    ['no JSON', [JSON.stringify(head), '{'], 2],
    [
      'a class that there is not',
      [JSON.stringify(head), JSON.stringify(delivery({ priority: 'odd' as never }))],
      2,
    ],
    ['nothing', [], 0],
  ])('says where it is wrong: %s', async (_what, texts, line) => {
    expect(await readRecording(lines(...texts))).toMatchObject({ kind: 'wrong', line });
  });
});
