// Broadcasts: one message, many chats. An audience is filled as its members come and never held in
// memory; a broadcast is fed to the road a window at a time, at low priority, and knows what became of everyone.

import type { BroadcastingParts } from './parts.ts';
import { BroadcastService } from './service.ts';
import type { Broadcasting } from './types.ts';

export type { BroadcastingParts } from './parts.ts';
export type {
  AudienceDraft,
  BadLine,
  Broadcasting,
  BroadcastRequest,
  BroadcastView,
  Made,
  NewMember,
  RequestReading,
  Steered,
} from './types.ts';

export function createBroadcasting(parts: BroadcastingParts): Broadcasting {
  return new BroadcastService(parts);
}
