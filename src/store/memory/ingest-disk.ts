// What the memory store keeps of ingest; see disk.ts.

import type {
  PostVersion,
  StoredPost,
  StoredReader,
  StoredSource,
  StoredWait,
} from '../ports/ingest.ts';
import type { Leases } from './leases.ts';

export interface IngestDisk {
  sourceLast: number;
  postLast: number;
  readonly sources: Map<number, StoredSource>;
  // By source and id.
  readonly posts: Map<number, Map<string, StoredPost>>;
  readonly versions: Map<string, PostVersion[]>;
  // By source; ids of posts.
  readonly forwards: Map<number, Set<string>>;
  readonly channels: Map<string, string>;
  readonly readers: Map<string, StoredReader>;
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
    forwards: new Map(),
    channels: new Map(),
    readers: new Map(),
    waits: new Map(),
    leases: new Map(),
  };
}
