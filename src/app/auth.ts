// Joins authentication with the gateway: keys and the audit log are kept in its journal, and forgotten with the
// rest. Refuses a start that would let anyone in.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_KEY_FILE } from '../accounts/accounts.ts';
import type { Config } from '../config/config.ts';
import { platformOf } from '../domain/ids.ts';
import { isLoopback } from '../http/edge.ts';
import { ADMIN, type Guards, openGuards } from '../keys/keys.ts';
import type { Service } from '../system/service.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { PlatformChoice } from './platforms.ts';
import { openResources, type Resources } from './resources.ts';
import { openRetention } from './retention.ts';

// A key that people chose, where strangers can try others.
const CHOSEN_KEY_LENGTH_MIN = 16;

interface AuthService extends Service {
  // Where a browser is logged in, once.
  linkAt(url: string): string;
}

// Off loopback there must be a key that somebody knows: one that was set, or one that an earlier start made. Checked
// before anything is opened, so that a refused start does not make the key file which the next start would find.
function requireKnownKey(config: Config): void {
  const { host, adminKey, data } = config;
  if (isLoopback(host)) return;
  const isChosen = adminKey !== null && adminKey !== '';
  if (isChosen) requireChosenKey(host, adminKey);
  if (isChosen || existsSync(join(data, ADMIN_KEY_FILE))) return;
  throw new Error(
    `${host} is not loopback, and there is no key yet: set SLUICE_ADMIN_KEY, or start once on 127.0.0.1, ` +
      `which makes one in ${join(data, ADMIN_KEY_FILE)}`,
  );
}

// For a later `listen` on another host: the key file exists by then in any case, so only a key that was set counts.
export function requireChosenKey(host: string, adminKey: string | null): void {
  if (isLoopback(host)) return;
  if (adminKey === null || adminKey.length < CHOSEN_KEY_LENGTH_MIN) {
    throw new Error(
      `${host} is not loopback: SLUICE_ADMIN_KEY must have at least ${CHOSEN_KEY_LENGTH_MIN} characters`,
    );
  }
}

export async function openGuarded(
  config: Config,
  metrics: Metrics,
  choice: PlatformChoice,
): Promise<{ resources: Resources; guards: Guards; auth: AuthService }> {
  requireKnownKey(config);
  const resources = await openResources(config, metrics, choice);
  const { clock, journal, log, adminKey } = resources;
  const guards = await openGuards({
    clock,
    journal,
    adminKey,
    virtualToken: (account, secret) =>
      resources.platforms.get(platformOf(account))?.credentials.virtual?.(account, secret) ??
      secret,
    onFailure: (error) =>
      log.warn({ err: error }, 'could not save when keys and sessions were last used'),
  });
  return { resources, guards, auth: authServiceOf(config, resources, guards) };
}

function authServiceOf(config: Config, resources: Resources, guards: Guards): AuthService {
  const { keys, audit } = resources.journal;
  const retention = openRetention(config, resources, {
    name: 'forget_keys_and_audit',
    days: config.auditDays,
    prune: async (step) => Math.max(await keys.prune(step), await audit.prune(step)),
  });
  return {
    linkAt: (url) => `${url}/login?token=${guards.sessions.link(ADMIN)}`,
    start: () => retention.start(),
    async stop(deadlineMs) {
      await retention.stop(deadlineMs);
      await guards.keyring.stop(deadlineMs);
    },
  };
}
