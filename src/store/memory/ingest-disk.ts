// What the memory store keeps of ingest; see disk.ts.

import type { PostVersion, StoredPost, StoredSource, StoredWait } from '../ports/ingest.ts';
import type { Leases } from './leases.ts';

export interface IngestDisk {
  sourceLast: number;
  postLast: number;
  readonly sources: Map<number, StoredSource>;
  // By source and id.
  readonly posts: Map<number, Map<string, StoredPost>>;
  readonly versions: Map<string, PostVersion[]>;
  readonly channels: Map<string, string>;
  readonly waits: Map<string, StoredWait>;
  readonly leases: Leases;
}

export function createIngestDisk(): IngestDisk {
  return {
    sourceLast: 0,
    postLast: 0,
    sources: new Map(),
    posts: new Map(),
    versions: new Map(),
    channels: new Map(),
    waits: new Map(),
    leases: new Map(),
  };
}
