// Retention's step: removes deliveries that ended before a time, with everything that belongs to
// them.

import type { State } from '../../domain/delivery.ts';
import type { PruneCommand } from '../ports/maintenance.ts';
import type { SqliteCommands } from './commands.ts';

export function prune(
  { statements, tallies }: SqliteCommands,
  seqLast: number,
  { endedBefore, deadBefore, max }: PruneCommand,
): number {
  const ended = statements.toPrune.all(endedBefore, max);
  if (ended.length < max) ended.push(...statements.deadToPrune.all(deadBefore, max - ended.length));
  for (const { seq, account, state, key } of ended) {
    statements.dropDelivery.run(seq!);
    statements.dropResult.run(seq!);
    statements.dropAttempts.run(seq!);
    statements.dropHistory.run(seq!);
    statements.dropCopy.run(seq!);
    if (key !== null) statements.dropKey.run(account!, key!, seq!);
    tallies.add(String(account), state as State, -1);
  }
  // The newest row may be gone now; its number must not come again.
  if (ended.length > 0) statements.saveSeqLast.run(seqLast);
  return ended.length;
}
