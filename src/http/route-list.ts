// Every route there is, but those of the page and of the dialects. What is not listed here is not served, and what is
// listed is guarded, described and shown.

import { ACCOUNT_ROUTES } from './accounts/accounts.ts';
import { AUDIT_ROUTES } from './auth/audit.ts';
import { KEY_ROUTES } from './auth/keys.ts';
import { LOGIN_ROUTES } from './auth/login.ts';
import { BROADCAST_ROUTES } from './broadcasts/broadcasts.ts';
import { DOCS_ROUTES } from './docs/docs.ts';
import { INGEST_ROUTES } from './ingest/ingest.ts';
import { MCP_ROUTES } from './mcp.ts';
import { DEAD_ROUTES } from './messages/dead.ts';
import { MESSAGE_ROUTES } from './messages/messages.ts';
import type { Route, RouteGroup } from './route.ts';
import { SANDBOX_ROUTES } from './sandbox/sandbox.ts';
import { STREAM_ROUTES } from './streams/streams.ts';
import { CONFIG_ROUTES } from './watch/config.ts';
import { EVENT_ROUTES } from './watch/events.ts';
import { HEALTH_ROUTES } from './watch/health.ts';
import { HISTORY_ROUTES } from './watch/history.ts';
import { NAME_ROUTES } from './watch/names.ts';
import { NODE_ROUTES } from './watch/nodes.ts';
import { OVERVIEW_ROUTES } from './watch/overview.ts';
import { QUEUE_ROUTES } from './watch/queue.ts';
import { REASON_ROUTES } from './watch/reasons.ts';
import { STATS_ROUTES } from './watch/stats.ts';
import { TERMINAL_ROUTES } from './watch/terminal.ts';
import { WEBHOOK_ROUTES } from './webhooks.ts';

// In the order in which they are described.
export const GROUPS: readonly RouteGroup[] = [
  ...[MESSAGE_ROUTES, DEAD_ROUTES, STREAM_ROUTES, BROADCAST_ROUTES, INGEST_ROUTES],
  ...[ACCOUNT_ROUTES, WEBHOOK_ROUTES, SANDBOX_ROUTES],
  ...[OVERVIEW_ROUTES, HISTORY_ROUTES, QUEUE_ROUTES, NODE_ROUTES, NAME_ROUTES, EVENT_ROUTES],
  TERMINAL_ROUTES,
  ...[REASON_ROUTES, STATS_ROUTES, HEALTH_ROUTES, CONFIG_ROUTES, DOCS_ROUTES, MCP_ROUTES],
  ...[KEY_ROUTES, AUDIT_ROUTES, LOGIN_ROUTES],
];

export const ROUTES: readonly Route[] = GROUPS.flatMap(({ routes }) => routes);
