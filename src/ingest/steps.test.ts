import { describe, expect, test } from 'vitest';
import type { HistoryPage } from '../platforms/history.ts';
import { aPost, posts } from './ingest.fixture.ts';
import { NEW_CURSOR } from './progress.ts';
import {
  beginLook,
  endAudit,
  missingOf,
  nextStep,
  type Reading,
  takeChanges,
  takeCheck,
  takeHistory,
} from './steps.ts';

const ALL = { canChanges: true, canById: true };
const PAGES = { canChanges: false, canById: false };
const INCREMENTAL = { canChanges: true, isAuditDue: false };

const page = (changes: Partial<HistoryPage> = {}): HistoryPage => ({
  ...{ posts: [], newestId: null, mark: null, ...changes },
});
const begun = (lastId = '0') =>
  beginLook({ ...NEW_CURSOR, lastId }, 'historical', { canChanges: true, isAuditDue: false });

describe('an ascent', () => {
  test('ends at the newest id, with the mark of its first page', () => {
    let reading = begun();
    expect(nextStep(reading, ALL)).toEqual({ kind: 'history', after: '0' });
    ({ reading } = takeHistory(
      reading,
      page({ posts: posts(1, 5), newestId: '9', mark: '3' }),
      ALL,
    ));
    expect(nextStep(reading, ALL)).toEqual({ kind: 'history', after: '5' });
    ({ reading } = takeHistory(
      reading,
      page({ posts: posts(6, 9), newestId: '9', mark: '8' }),
      ALL,
    ));
    expect(reading.cursor).toEqual({ lastId: '9', mark: '3', ascent: null });
    expect(nextStep(reading, ALL)).toEqual({ kind: 'changes', mark: '3' });
  });

  test('a newest post that is deleted meanwhile does not keep it going', () => {
    let { reading } = takeHistory(begun(), page({ posts: posts(1, 5), newestId: '6' }), ALL);
    ({ reading } = takeHistory(reading, page({ newestId: '5' }), ALL));
    expect(nextStep(reading, ALL)).toEqual({ kind: 'done' });
    expect(reading.cursor.lastId).toBe('5');
  });

  test('an empty page below the newest id is checked by id, and passed', () => {
    let { reading } = takeHistory(begun(), page({ newestId: '300' }), ALL);
    const step = nextStep(reading, ALL);
    expect(step).toMatchObject({ kind: 'check' });
    expect(step.kind === 'check' && [step.ids[0], step.ids.at(-1)]).toEqual(['1', '100']);
    const taken = takeCheck(reading, [aPost(50)], ALL);
    expect(taken.posts.map(({ id }) => id)).toEqual(['50']);
    ({ reading } = taken);
    expect(nextStep(reading, ALL)).toEqual({ kind: 'history', after: '100' });
  });

  test('without posts by id it is asked for twice before it is believed', () => {
    let { reading } = takeHistory(begun(), page({ newestId: '150' }), PAGES);
    expect(nextStep(reading, PAGES)).toEqual({ kind: 'history', after: '0' });
    ({ reading } = takeHistory(reading, page({ newestId: '150' }), PAGES));
    expect(nextStep(reading, PAGES)).toEqual({ kind: 'history', after: '100' });
    const ended = takeHistory(reading, page({ posts: [aPost(150)], newestId: '150' }), PAGES);
    expect(nextStep(ended.reading, PAGES)).toEqual({ kind: 'done' });
    expect(ended.reading.cursor).toEqual({ lastId: '150', mark: null, ascent: null });
  });

  test('where the newest id is not told, an empty page is the end, and moves nothing', () => {
    let { reading } = takeHistory(begun('4'), page({ posts: posts(5, 6) }), PAGES);
    expect(nextStep(reading, PAGES)).toEqual({ kind: 'history', after: '6' });
    ({ reading } = takeHistory(reading, page(), PAGES));
    expect(nextStep(reading, PAGES)).toEqual({ kind: 'audit', upTo: '4' });
    expect(endAudit(reading, PAGES).cursor).toEqual({ lastId: '6', mark: null, ascent: null });
  });

  test('goes on where an earlier look was cut off', () => {
    const { reading } = takeHistory(
      begun(),
      page({ posts: posts(1, 5), newestId: '9', mark: '3' }),
      ALL,
    );
    const again = beginLook(reading.cursor, 'historical', INCREMENTAL);
    expect(nextStep(again, ALL)).toEqual({ kind: 'history', after: '5' });
    const end = takeHistory(again, page({ posts: posts(6, 9), newestId: '9', mark: '20' }), ALL);
    expect(end.reading.cursor.mark).toBe('3');
  });
});

describe('changes', () => {
  const at = (lastId: string): Reading =>
    beginLook({ lastId, mark: '7', ascent: null }, 'incremental', INCREMENTAL);

  test('go on from the mark until there are no more', () => {
    const rest = { deleted: ['2'], isLast: false, notBeforeMs: 0 };
    const told = { kind: 'changes', posts: [aPost(3), aPost(12)], mark: '9', ...rest } as const;
    const taken = takeChanges(at('10'), told);
    expect(taken.reading.cursor).toEqual({ lastId: '12', mark: '9', ascent: null });
    expect(taken.deleted).toEqual(['2']);
    expect(nextStep(taken.reading, ALL)).toEqual({ kind: 'changes', mark: '9' });
    const last = takeChanges(taken.reading, { ...told, posts: [], isLast: true });
    expect(nextStep(last.reading, ALL)).toEqual({ kind: 'done' });
  });

  test('too long: it ascends from the last id, compares what is below, goes on from the new mark', () => {
    let { reading } = takeChanges(at('10'), { kind: 'too_long', mark: '99' });
    expect(nextStep(reading, ALL)).toEqual({ kind: 'history', after: '10' });
    const newer = page({ posts: posts(11, 14), newestId: '14', mark: '120' });
    ({ reading } = takeHistory(reading, newer, ALL));
    expect(nextStep(reading, ALL)).toEqual({ kind: 'audit', upTo: '10' });
    expect(endAudit(reading, ALL).cursor).toEqual({ lastId: '14', mark: '99', ascent: null });
  });
});

test('what is gone is told by id, in whatever order the answer comes', () => {
  expect(missingOf(['1', '2', '3'], [aPost(3), aPost(1)])).toEqual(['2']);
});
