// The screens of the page in the order of its menu, and the letter that goes there after `g`.

import type { ComponentType } from 'preact';
import type { Role } from './lib/session-store.ts';
import { Accounts } from './screens/accounts.tsx';
import { Broadcasts } from './screens/broadcasts.tsx';
import { Chats } from './screens/chats.tsx';
import { Dead } from './screens/dead.tsx';
import { DeliveryScreen } from './screens/delivery.tsx';
import { GatewayScreen } from './screens/gateway.tsx';
import { Keys } from './screens/keys.tsx';
import { Messages } from './screens/messages.tsx';
import { OverviewScreen } from './screens/overview.tsx';
import { Queue } from './screens/queue.tsx';
import { Sandbox } from './screens/sandbox.tsx';
import { Streams } from './screens/streams.tsx';

interface ScreenEntry {
  readonly path: string;
  readonly title: string;
  // null: not in the menu.
  readonly key: string | null;
  readonly screen: ComponentType;
  // Who has it in the menu; left out: everyone.
  readonly role?: Role;
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
  { path: 'sandbox', title: 'Sandbox', key: 'x', screen: Sandbox },
  { path: 'keys', title: 'API keys', key: 'k', screen: Keys, role: 'admin' },
  { path: 'gateway', title: 'Gateway', key: 'y', screen: GatewayScreen },
  // As links of before named it.
  { path: 'search', title: 'Messages', key: null, screen: Messages },
  { path: 'delivery', title: 'Delivery', key: null, screen: DeliveryScreen },
];
