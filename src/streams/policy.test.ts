import { describe, expect, test } from 'vitest';
import { createTelegram } from '../platforms/telegram/telegram.ts';
import { type LiveSettings, paceOf, strategyOf, transportOf } from './policy.ts';

const live = createTelegram({ transport: null as never }).live!;
const GROUP = '-1001';
const SETTINGS: LiveSettings = {
  rates: live.rates({ draftPerS: 2 }),
  qos: true,
  strategy: null,
  activeWindowMs: 10_000,
  tickMsMin: 300,
  chunkSpacingMs: 10_000,
  outputMpmMax: null,
};

describe('a policy', () => {
  test('is the platform’s unless the settings name one, and off when live output is not paced', () => {
    expect(strategyOf(SETTINGS, live)).toBe('strict');
    expect(strategyOf({ ...SETTINGS, strategy: 'coalesce_only' }, live)).toBe('coalesce_only');
    expect(strategyOf({ ...SETTINGS, qos: false, strategy: 'strict' }, live)).toBe('off');
  });

  test('chooses the transport, with or without pacing', () => {
    expect(transportOf(SETTINGS, live, '42', false)).toBe('draft');
    expect(transportOf(SETTINGS, live, '42', true)).toBe('edit');
    expect(transportOf(SETTINGS, live, GROUP, false)).toBe('edit');
    const chunks = { ...SETTINGS, qos: false, strategy: 'chunks' } as const;
    expect(transportOf(chunks, live, '42', false)).toBe('chunks');
  });

  test('strict has a budget and slots; the smaller of reserve and share counts', () => {
    const pace = { tickMsMin: 300, activeWindowMs: 10_000 };
    expect(paceOf(SETTINGS, live, GROUP, 'edit')).toEqual({
      ...pace,
      budgetMpm: 16,
      slotMs: 3000,
      slotsSpared: 4,
    });
    const less = { ...SETTINGS, rates: live.rates({ reserveMpm: 15 }) };
    expect(paceOf(less, live, GROUP, 'edit').budgetMpm).toBe(5);
    const half = { ...SETTINGS, rates: live.rates({ outputBudgetRatio: 0.5 }) };
    expect(paceOf(half, live, GROUP, 'edit').budgetMpm).toBe(10);
    expect(paceOf(SETTINGS, live, '42', 'draft').budgetMpm).toBe(120);
    expect(paceOf(SETTINGS, live, '42', 'edit')).toMatchObject({ budgetMpm: 60, slotMs: 1000 });
  });

  test('the others have none but a hard limit, if there is one', () => {
    const only = { ...SETTINGS, strategy: 'coalesce_only' } as const;
    const none = { budgetMpm: null, slotMs: 0, tickMsMin: 300 };
    expect(paceOf(only, live, GROUP, 'edit')).toMatchObject(none);
    const capped = { ...only, outputMpmMax: 6 };
    expect(paceOf(capped, live, GROUP, 'edit').budgetMpm).toBe(6);
    expect(paceOf({ ...SETTINGS, outputMpmMax: 30 }, live, GROUP, 'edit').budgetMpm).toBe(16);
    const off = paceOf({ ...SETTINGS, qos: false, outputMpmMax: 6 }, live, GROUP, 'edit');
    expect(off).toMatchObject({ budgetMpm: null, tickMsMin: 0, slotMs: 0 });
  });

  test('chunks have their own spacing', () => {
    const chunks = { ...SETTINGS, strategy: 'chunks' } as const;
    expect(paceOf(chunks, live, '42', 'chunks').tickMsMin).toBe(10_000);
  });
});
