// Readers that read with the accounts the gateway sends with: one ledger for both directions. What the platform says of
// the whole account to whoever reads holds for what is sent, and the other way round; each look counts for the
// account's limits; and the node that owns the account reads with it.

import { type AccountId, parseAccountId, platformOf } from '../../domain/ids.ts';
import type { SendingSide } from '../../ingest/calls.ts';
import type { ReaderPool, SourceView } from '../../ingest/ingest.ts';
import type { ReaderAccount, ReaderKind } from '../../platforms/history.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Resources } from '../resources.ts';

// A kind of one platform, and that platform.
export interface OfferedKind {
  readonly kind: ReaderKind;
  readonly platform: Platform;
}

interface Sources {
  // Counted up with every change of them.
  readonly changes: number;
  list(): readonly Pick<SourceView, 'kind' | 'settings'>[];
}

const CAUSE = 'the platform told a reader of this account to wait';

export function sendingPool(
  resources: Resources,
  { kind, platform }: OfferedKind,
  sources: () => Sources,
): ReaderPool {
  const { fleet } = resources;
  const found = (id: string) => accountFor(resources, { kind, platform }, id);
  const named = accountsNamed(sources);
  return {
    kind,
    async accounts(id) {
      const account = id === null ? null : found(id);
      return account === null ? [] : [account];
    },
    sending: {
      named: () =>
        [...(named().get(kind.kind) ?? [])].flatMap((id) => {
          const account = found(id);
          return account === null ? [] : [account];
        }),
      isHere: (id) => fleet === null || fleet.accounts.isHere(sender(id)),
      sideOf: (id) => sideOf(resources, platform, sender(id)),
    },
  };
}

// Readers name their accounts by ids of their own; these read with accounts that send.
function sender(id: string): AccountId {
  return id as AccountId;
}

// null: it is not known here, not served, or cannot read.
export function accountFor(
  { accounts }: Pick<Resources, 'accounts'>,
  { kind, platform }: OfferedKind,
  named: string,
): ReaderAccount | null {
  const id = parseAccountId(named);
  if (id === null || platformOf(id) !== platform.name) return null;
  const credential = accounts.credentialOf(id);
  if (credential === null || accounts.isOff(id)) return null;
  return kind.readsWith?.(credential) === true ? { id, session: credential } : null;
}

// By the kind they are read by. There may be very many sources, and they change rarely.
export function accountsNamed(sources: () => Sources): () => Map<string, Set<string>> {
  let known = new Map<string, Set<string>>();
  let at = -1;
  return () => {
    const { changes } = sources();
    if (changes === at) return known;
    at = changes;
    known = new Map();
    for (const { kind, settings } of sources().list()) {
      if (settings.account === null) continue;
      const ids = known.get(kind) ?? new Set();
      known.set(kind, ids.add(settings.account));
    }
    return known;
  };
}

function sideOf({ engine }: Resources, platform: Platform, account: AccountId): SendingSide {
  const { road } = engine;
  return {
    heldUntil() {
      const [own] = road.limits(account, 1);
      const freezes = own?.freezes.filter(({ scope }) => scope === 'account') ?? [];
      return Math.max(0, ...freezes.map(({ until }) => until));
    },
    called() {
      const charge = platform.passage?.chargeOf?.('GET') ?? null;
      if (charge !== null) road.passed(account, charge);
    },
    async hold(until) {
      await road.freeze({ account, chat: null }, until, CAUSE);
    },
  };
}
