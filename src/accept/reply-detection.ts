// Whom does a call answer? What the updates seen say about it: which budget it spends, and how urgent it is.
// The caller's own word about priority stands before this one; see compose.ts.

import type { Priority } from '../domain/priority.ts';
import type { DescribedCall } from './compose.ts';
import type { AcceptContext } from './context.ts';

export function answering(
  { updates }: Pick<AcceptContext, 'updates'>,
  account: string,
  call: DescribedCall,
  params: Readonly<Record<string, unknown>>,
): DescribedCall & { readonly priority?: Priority } {
  if (updates === undefined) return call;
  const asked = { chat: call.chat, family: call.family, gate: call.gate, params };
  const gate = updates.gateFor(account, asked);
  const priority = updates.priorityFor(account, asked);
  if (priority !== null) return { ...call, gate, priority };
  return gate === call.gate ? call : { ...call, gate };
}
