// What a backend implements: the durable truth, as the sum of one port per consumer. Nobody but the composition takes
// all of it; each consumer names the ports it uses. `memory/` is the specification, `contract/` holds every backend to
// it, and every promise resolves only when its effect is durable.

import type { AccountStore } from './accounts.ts';
import type { AuditStore } from './audit.ts';
import type { BroadcastStore } from './broadcasts.ts';
import type { CallerStore } from './callers.ts';
import type { DeliveryStore } from './delivery.ts';
import type { IngestStore } from './ingest.ts';
import type { KeyStore } from './keys.ts';
import type { LimitStore } from './limits.ts';
import type { MaintenanceStore } from './maintenance.ts';
import type { MinuteStore } from './minutes.ts';
import type { OwnershipStore } from './ownership.ts';
import type { RecoveryStore } from './recovery.ts';
import type { SessionStore } from './sessions.ts';
import type { StreamStore } from './streams.ts';
import type { UpdateStore } from './updates.ts';

export interface Store
  extends DeliveryStore,
    RecoveryStore,
    LimitStore,
    OwnershipStore,
    AccountStore,
    MaintenanceStore {
  // Callers who wait for an answer.
  readonly callers: CallerStore;
  // What comes in, the other direction.
  readonly incoming: UpdateStore;
  // One message, many chats.
  readonly broadcasts: BroadcastStore;
  // Live output: texts that grow.
  readonly streams: StreamStore;
  // Who may do what, and what was done.
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly sessions: SessionStore;
  // Channels that are read, and their posts.
  readonly ingest: IngestStore;
  // What happened in each minute of the last day.
  readonly minutes: MinuteStore;
  close(): Promise<void>;
}
