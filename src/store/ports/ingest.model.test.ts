// Random commands of ingest, against memory and SQLite: every answer must be the same.

import fc from 'fast-check';
import { test } from 'vitest';
import {
  expectSameAnswers,
  type PortCommand,
  type PortRun,
} from '../contract/same-answers.fixture.ts';
import type { IngestStore } from './ingest.ts';

type Run = PortRun<IngestStore>;
type Command = PortCommand<IngestStore>;

// The first is there most of the time.
const source = fc.constantFrom(1, 1, 1, 2, 3);
const id = fc.constantFrom('1', '2', '9', '10', '11', '9007199254740992', '9007199254740993');
const max = fc.integer({ min: 1, max: 5 });
const name = fc.constantFrom('@a', '@b');
const text = fc.constantFrom('one', 'Zwei ü', 'ONE more', '');
const token = fc.constantFrom('x', 'y');

const addSource: fc.Arbitrary<Run> = fc
  .record({ name, readerKind: fc.constantFrom('page', 'other'), settings: text })
  .map((one) => (store, at) => store.addSource({ ...one, progress: '{}', createdAt: at }));

const changeSource: fc.Arbitrary<Run> = fc
  .record({
    id: source,
    state: fc.constantFrom(null, 'active' as const, 'paused' as const, 'dead' as const),
    settings: fc.option(text),
  })
  .map((change) => (store) => store.changeSource(change));

const removeSource: fc.Arbitrary<Run> = fc
  .record({ id: source, max })
  .map((command) => (store) => store.removeSource(command));

const post = fc.record({
  id,
  date: fc.integer({ min: 0, max: 50 }),
  editedAt: fc.constantFrom(null, 5, 7.5),
  text,
  author: fc.constantFrom(null, 'ü'),
  groupId: fc.constantFrom(null, '7'),
  media: fc.constantFrom('[]', '[1]'),
  references: fc.constantFrom('[]', '["r"]'),
});

// Mostly from the revision that stands, so that most are taken.
const commit: fc.Arbitrary<Run> = fc
  .record({
    source,
    progress: text,
    epoch: fc.constantFrom(9, 9, 1),
    isLate: fc.constantFrom(false, false, false, true),
    posts: fc.array(post, { maxLength: 4 }),
    deleted: fc.array(id, { maxLength: 2 }),
    isDead: fc.constantFrom(false, false, false, true),
    forwardSince: fc.constantFrom(null, 0, 25),
  })
  .map(({ epoch, isLate, ...page }) => async (store, at) => {
    const revision = ((await store.source(page.source))?.revision ?? 0) - (isLate ? 1 : 0);
    return store.commit({ ...page, revision, at, lease: { name: 'l', epoch } });
  });

// Of the ids that are seldom, too few are there to be found.
const likelyId = fc.constantFrom('1', '2', '9', '10');
const onePost: fc.Arbitrary<Run> = fc
  .record({ source, id: fc.oneof(likelyId, id) })
  .map((key) => async (store) => [await store.post(key), await store.versions({ ...key, max: 3 })]);

const posts: fc.Arbitrary<Run> = fc
  .record({
    source: fc.option(source),
    order: fc.constantFrom('newest' as const, 'oldest' as const),
    cursor: fc.option(id),
    since: fc.option(fc.integer({ min: 0, max: 50 })),
    text: fc.constantFrom(null, null, 'one', 'Ü'),
    max,
  })
  .map((query) => (store) => store.posts(query));

const knownIds: fc.Arbitrary<Run> = fc
  .record({ source, upTo: id, max })
  .map((query) => (store) => store.knownIds(query));

const listed: fc.Arbitrary<Run> = fc
  .record({ after: fc.integer({ min: 0, max: 2 }), max })
  .map((page) => (store) => store.sources(page));

const forwards: fc.Arbitrary<Run> = fc
  .record({ source, max, ids: fc.array(id, { maxLength: 2 }) })
  .map(({ ids, ...query }) => async (store) => {
    await store.forwarded({ source: query.source, ids });
    return store.unforwarded(query);
  });

const reader: fc.Arbitrary<Run> = fc
  .record({ readerKind: name, account: name, isKept: fc.boolean() })
  .map(({ isKept, ...key }) => async (store, at) => {
    if (isKept) await store.saveReader({ ...key, name: 'n', sealed: String(at), createdAt: at });
    else await store.removeReader(key);
    return store.readers();
  });

const wait: fc.Arbitrary<Run> = fc
  .record({ reader: name, method: name, until: fc.integer({ min: 0, max: 9 }), drop: fc.boolean() })
  .map(({ until, drop, ...key }) => async (store, at) => {
    if (drop) await store.dropWait(key);
    else await store.saveWait({ ...key, until, at });
    return store.waits();
  });

const lease: fc.Arbitrary<Run> = fc
  .record({ token, ttlMs: fc.integer({ min: 1, max: 9 }), node: name })
  .map((one) => (store, at) => store.takeLease({ name: 'l', now: at, ...one }));

const release: fc.Arbitrary<Run> = token.map(
  (one) => (store) => store.releaseLease({ name: 'l', token: one }),
);

const kinds = {
  ...{ addSource, changeSource, removeSource, commit, onePost, posts, knownIds, listed },
  ...{ forwards, reader, wait, lease, release },
};
const WEIGHTS: Readonly<Record<string, number>> = {
  commit: 10,
  addSource: 4,
  posts: 3,
  onePost: 4,
  knownIds: 3,
  forwards: 3,
  lease: 3,
};
const command = fc.oneof(
  ...Object.entries(kinds).map(([kind, run]) => ({
    weight: WEIGHTS[kind] ?? 1,
    arbitrary: run.map((one): Command => [kind, one]),
  })),
);

function caseOf(kind: string, told: unknown): string {
  const isCommit = kind === 'commit' && typeof told === 'object' && told !== null && 'kind' in told;
  return isCommit ? `commit: ${told.kind}` : kind;
}

const LEAST = {
  addSource: 50,
  changeSource: 10,
  'commit: committed': 100,
  'commit: stale': 10,
  'commit: not_owner': 3,
  'commit: gone': 20,
  onePost: 10,
  posts: 50,
  knownIds: 5,
  forwards: 5,
  reader: 5,
  lease: 20,
};

test('memory and SQLite give the same answers', async () => {
  await expectSameAnswers({ command, portOf: ({ ingest }) => ingest, least: LEAST, caseOf });
});
