// Sources as other processes have left them in the store: added, removed, paused, configured, or read further. Asked
// often, so it reads no more of a source than tells whether it has changed.

import type { IngestStore, SourceHead, StoredSource } from '../store/ports/ingest.ts';
import type { Looks } from './looks.ts';
import type { Tracked } from './tracked.ts';

const HEADS_PER_PAGE = 500;

interface Following {
  track(source: StoredSource): void;
  apply(tracked: Tracked, head: SourceHead): void;
  // Whoever shows sources shows them again.
  onChange(): void;
}

export async function followSources(
  store: IngestStore,
  looks: Looks,
  following: Following,
): Promise<void> {
  // What is added here from now on may be in a page that was read before.
  const before = looks.all().map(({ source }) => source.id);
  const left = new Set<number>();
  for (let after = 0; ; ) {
    const page = await store.sourceHeads({ after, max: HEADS_PER_PAGE });
    for (const head of page) {
      if (head.state === 'removed') continue;
      left.add(head.id);
      await follow(store, looks, following, head);
    }
    if (page.length < HEADS_PER_PAGE) break;
    after = page.at(-1)!.id;
  }
  for (const id of before) {
    if (left.has(id) || looks.find(id) === null) continue;
    looks.drop(id);
    following.onChange();
  }
}

async function follow(
  store: IngestStore,
  looks: Looks,
  { track, apply, onChange }: Following,
  head: SourceHead,
): Promise<void> {
  const tracked = looks.find(head.id);
  if (tracked === null) {
    const source = await store.source(head.id);
    if (source === null || source.state === 'removed' || looks.find(head.id) !== null) return;
    track(source);
    onChange();
    return;
  }
  if (head.revision > tracked.source.revision) {
    await looks.refresh(tracked);
    onChange();
  }
  const { state, settings } = tracked.source;
  if (state !== head.state || settings !== head.settings) apply(tracked, head);
}
