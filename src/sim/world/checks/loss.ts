// Promises 1 and 2: what was accepted came to rest or waits for a reason one can name; what is called
// sent was taken by the platform; and the platform has nothing that no record tells of.

import {
  type Check,
  type Evidence,
  type Finding,
  isDelivered,
  isRepeatable,
  placeOf,
  type Story,
  tell,
  toldToWait,
} from '../evidence.ts';

export const checkLoss: Check = (evidence) => {
  const freezes = lastFreezes(evidence);
  return evidence.stories.flatMap((story) => {
    const problem = problemOf(story, evidence, freezes);
    return problem === null
      ? []
      : [
          {
            check: 'loss',
            facts: `${problem}: ${tell(story, evidence.startedAt)}`,
          } satisfies Finding,
        ];
  });
};

function problemOf(
  story: Story,
  evidence: Evidence,
  freezes: ReadonlyMap<string, number>,
): string | null {
  const { record, tries } = story;
  const wasDelivered = tries.some(isDelivered);
  if (record === null) {
    if (story.seq !== null) return 'accepted, and no record of it';
    return tries.length > 0 ? 'sent although it was never accepted' : null;
  }
  switch (record.state) {
    case 'sent':
      return isReallySent(story) ? null : 'called sent, but the platform never took it';
    case 'queued':
    case 'sending':
      return excuse(story, evidence, freezes);
    default:
      if (!wasDelivered || isRepeatable(story) || record.doubts > 0) return null;
      return `delivered, but called ${record.state} without a doubt`;
  }
}

function isReallySent(story: Story): boolean {
  const { record, tries } = story;
  const taken = tries.filter(isDelivered);
  if (isRepeatable(story)) {
    // An edit that was already there is said to be not modified: the chat is as wanted.
    return taken.length > 0 || tries.some((one) => one.said === 400);
  }
  // An album that broke is known by the first message of its first part.
  const ids = tries.flatMap((one) => one.call?.messageIds.map(String) ?? []);
  return taken.length > 0 && (record?.messageId === null || ids.includes(record!.messageId!));
}

// Still waiting when all was over: legal only for a reason that the evidence bears out.
function excuse(
  story: Story,
  evidence: Evidence,
  freezes: ReadonlyMap<string, number>,
): string | null {
  const { record, message } = story;
  if (record!.waitsFor === null) return 'waits, and nobody says for what';
  if (evidence.revoked.has(message.token)) return null;
  if (record!.dueAt > evidence.finishedAt) return null;
  if ((freezes.get(placeOf(message)) ?? 0) > evidence.finishedAt) return null;
  return `waits for no good reason ("${record!.waitsFor}")`;
}

function lastFreezes(evidence: Evidence): Map<string, number> {
  const until = new Map<string, number>();
  for (const one of evidence.tries) {
    const told = toldToWait(one);
    if (told !== null) until.set(placeOf(one), Math.max(told.until, until.get(placeOf(one)) ?? 0));
  }
  return until;
}
