// docs/reference/states.md: the diagram and the table of legal moves, from the one table in the code.

import { MOVES, RECEIPT_MOVES, STATES, type State } from '../../src/domain/delivery.ts';
import { MADE, table } from './table.ts';

const MEANING: Readonly<Record<State, string>> = {
  queued: 'on disk, waits for its turn (also for a retry’s time)',
  sending: 'a call is under way; after a crash this is what is in doubt',
  sent: 'the platform confirmed it',
  uncertain:
    'the request was written and no answer came; waits for a person (`uncertain_policy: hold`)',
  dead: 'will not be tried again unless someone says so; the reason is kept',
  superseded: 'a newer text of the same message took its place',
  expired: 'its own time to live ran out before its turn',
  cancelled: 'withdrawn by its caller, or discarded by hand',
};

export function statesPage(): string {
  const edges = STATES.flatMap((from) => MOVES[from].map((to) => `  ${from} --> ${to}`));
  const ends = STATES.filter((state) => MOVES[state].length === 0);
  const rows = STATES.map((state) => [
    `\`${state}\``,
    MEANING[state],
    MOVES[state].map((to) => `\`${to}\``).join(', ') || 'none: it has ended',
  ]);
  const told = STATES.flatMap((from) =>
    (RECEIPT_MOVES[from] ?? []).map((to) => `\`${from}\` → \`${to}\``),
  );
  return `# The states of a delivery

${MADE}

One table in \`src/domain/delivery.ts\` holds the legal moves, another those that a platform's word makes (below).
The store makes no other, and its schema would refuse it.

\`\`\`mermaid
stateDiagram-v2
  [*] --> queued
${edges.join('\n')}
${ends.map((state) => `  ${state} --> [*]`).join('\n')}
\`\`\`

${table(['state', 'meaning', 'moves to'], rows)}

From \`dead\` and \`uncertain\` nothing moves on its own: back to \`queued\` by retry, to \`cancelled\`
by discard, both by hand.
Where a platform reports later what became of a message (statuses of WhatsApp), its word makes further moves:
${told.join(', ')}. That it was delivered or read is a line in its history. However often and in whatever
order the reports come, the delivery ends the same.
A final that waits makes a late preview \`superseded\` at once; a newer edit does so to an older one that still waits.
`;
}
