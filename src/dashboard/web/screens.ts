// The screens of the page in the order of its menu, and the letter that goes there after `g`.

import type { ComponentType } from 'preact';
import type { Role } from './lib/session-store.ts';
import type { Overview } from './lib/wire/wire.ts';
import { Accounts } from './screens/accounts/accounts.tsx';
import { Chats } from './screens/accounts/chats.tsx';
import { Broadcasts } from './screens/broadcasts.tsx';
import { Dead } from './screens/dead/dead.tsx';
import { GatewayScreen } from './screens/gateway/gateway.tsx';
import { Settings } from './screens/gateway/settings.tsx';
import { Ingest } from './screens/ingest/ingest.tsx';
import { Keys } from './screens/keys/keys.tsx';
import { DeliveryScreen } from './screens/messages/delivery.tsx';
import { Messages } from './screens/messages/messages.tsx';
import { OverviewScreen } from './screens/overview/overview.tsx';
import { Queue } from './screens/queue.tsx';
import { Sandbox } from './screens/sandbox/sandbox.tsx';
import { Streams } from './screens/streams.tsx';

export interface ScreenEntry {
  readonly path: string;
  readonly title: string;
  // null: not in the menu.
  readonly key: string | null;
  readonly screen: ComponentType;
  // Who has it in the menu; left out: everyone.
  readonly role?: Role;
  // Whether this gateway has it; left out: every one has.
  readonly isThere?: (now: Overview | null) => boolean;
}

export const SCREENS: readonly ScreenEntry[] = [
  { path: '', title: 'Overview', key: 'o', screen: OverviewScreen },
  { path: 'messages', title: 'Messages', key: 'm', screen: Messages },
  { path: 'queue', title: 'Queue', key: 'q', screen: Queue },
  { path: 'accounts', title: 'Accounts', key: 'a', screen: Accounts },
  { path: 'chats', title: 'Chats', key: 'c', screen: Chats },
  { path: 'streams', title: 'Streams', key: 's', screen: Streams },
  { path: 'broadcasts', title: 'Broadcasts', key: 'b', screen: Broadcasts },
  { path: 'dead', title: 'Dead letters', key: 'd', screen: Dead },
  {
    ...{ path: 'ingest', title: 'Ingest', key: 'i', screen: Ingest },
    isThere: (now) => now !== null && now.ingest !== null,
  },
  { path: 'sandbox', title: 'Sandbox', key: 'x', screen: Sandbox },
  { path: 'keys', title: 'API keys', key: 'k', screen: Keys, role: 'admin' },
  { path: 'gateway', title: 'Gateway', key: 'y', screen: GatewayScreen },
  { path: 'settings', title: 'Settings', key: 'e', screen: Settings, role: 'admin' },
  // As links of before named it.
  { path: 'search', title: 'Messages', key: null, screen: Messages },
  { path: 'delivery', title: 'Delivery', key: null, screen: DeliveryScreen },
];
