// How many dead letters need somebody. A person who has blocked the bot is no alarm: nothing can be done about it, and
// every bot has some.

import { useFetched } from './hooks/use-fetched.ts';
import { overview } from './live.ts';
import { useReachless } from './reasons.ts';
import { useStore } from './store.ts';
import type { DeadGroup } from './wire/more.ts';

interface DeadCounts {
  readonly alarming: number;
  // Their chats refuse the bot, whatever is sent.
  readonly unreachable: number;
}

export function useDeadCounts(): DeadCounts {
  const now = useStore(overview);
  const codes = useReachless();
  const dead = now?.dead ?? 0;
  const path = dead === 0 ? null : '/v1/dead?group=cause';
  const { data } = useFetched<{ groups: readonly DeadGroup[] }>(path, dead);
  const groups = dead === 0 ? [] : (data?.groups ?? []);
  const unreachable = groups
    .filter(({ reason }) => codes.includes(reason))
    .reduce((sum, { count }) => sum + count, 0);
  return { alarming: Math.max(0, dead - unreachable), unreachable };
}
