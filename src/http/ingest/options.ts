// What the handlers of ingest share, and their bounds.

import type { HttpParts } from '../context.ts';
import type { IngestDesk } from './port.ts';

export type IngestOptions = HttpParts & {
  readonly ingest: IngestDesk;
  // Of posts as a file, and of files of posts.
  readonly exports: { underWay: number };
  readonly downloads: { underWay: number };
};

// Sources there may be.
export const SOURCES_MAX = 10_000;
