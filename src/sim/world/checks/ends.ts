// Every end must be a legal one: superseded only by a newer text of the same message, expired only after
// its time, dead only when refused or given up on, cancelled only when asked. And nothing goes out before its
// time, after it, or after its cancelling was granted.

import {
  type Check,
  type Evidence,
  isInDoubt,
  isRepeatable,
  placeOf,
  type Story,
  tell,
} from '../evidence.ts';

// Between the decision to send and the first byte.
const LATE_MS_MAX = 1000;
// Of a message that its chat was not asked for, because it refused others.
const NOT_ASKED = 'channel_refused';
// Given up on only after trying so often.
const FAILURES_BEFORE_DEATH_MIN = 3;

export const checkEnds: Check = (evidence) => {
  const refusing = refusingPlaces(evidence);
  return evidence.stories.flatMap((story) => {
    const problem = endOf(story, evidence, refusing) ?? timesOf(story, evidence.clockMsMax ?? 0);
    return problem === null
      ? []
      : [{ check: 'ends', facts: `${problem}: ${tell(story, evidence.startedAt)}` }];
  });
};

// Since when a chat refuses: from then on it may be spared being asked for each message.
function refusingPlaces({ tries }: Evidence): Map<string, number> {
  const since = new Map<string, number>();
  for (const one of tries) {
    if (!isRefusal(one.said)) continue;
    const place = placeOf(one);
    since.set(place, Math.min(one.endedAt, since.get(place) ?? Number.POSITIVE_INFINITY));
  }
  return since;
}

function endOf(
  story: Story,
  evidence: Evidence,
  refusing: ReadonlyMap<string, number>,
): string | null {
  const { record, message, tries } = story;
  if (record === null) return null;
  if (story.cancelledAt !== null && record.state !== 'cancelled') {
    return `its cancelling was granted, and it is ${record.state}`;
  }
  switch (record.state) {
    case 'superseded':
      return supersededBy(story, evidence);
    case 'expired':
      if (message.expiresAt === 0) return 'expired without a time to live';
      return (record.settledAt ?? 0) >= message.expiresAt ? null : 'expired before its time';
    case 'cancelled':
      return story.cancelAskedAt === null ? 'cancelled, though nobody asked for it' : null;
    case 'uncertain':
      return record.doubts > 0 && tries.some((one) => isInDoubt(one, evidence))
        ? null
        : 'uncertain without a doubt';
    case 'dead': {
      const wasRefused = tries.some((one) => isRefusal(one.said));
      const failed = tries.filter((one) => one.said !== 200 && one.said !== 429).length;
      if (wasRefused || failed >= FAILURES_BEFORE_DEATH_MIN) return null;
      const since = refusing.get(placeOf(message)) ?? Number.POSITIVE_INFINITY;
      const isSpared = record.reason === NOT_ASKED && (record.settledAt ?? 0) >= since;
      return isSpared ? null : 'dead though never refused';
    }
    default:
      return null;
  }
}

function supersededBy(story: Story, evidence: Evidence): string | null {
  const by = evidence.bySeq.get(story.record?.supersededBy ?? -1);
  if (by === undefined || by.record === null) return 'superseded by nothing';
  const isSameMessage =
    isRepeatable(story) &&
    story.message.method === by.message.method &&
    placeOf(story.message) === placeOf(by.message) &&
    messageOf(story) === messageOf(by);
  if (!isSameMessage) return `superseded by #${by.number}, which is not its newer text`;
  if (by.record.seq < story.record!.seq) {
    return by.message.final ? null : `superseded by an older text, #${by.number}`;
  }
  return story.message.final && !by.message.final ? 'a final superseded by a preview' : null;
}

function messageOf({ message }: Story): unknown {
  return message.params.message_id ?? message.params.ts;
}

function timesOf({ message, tries, cancelledAt }: Story, clockMsMax: number): string | null {
  if (cancelledAt !== null && tries.some((one) => one.leftAt > cancelledAt)) {
    return 'sent after it was cancelled';
  }
  if (message.notBefore > 0 && tries.some((one) => one.leftAt + clockMsMax < message.notBefore)) {
    return 'sent before its time';
  }
  const lastAt = message.expiresAt + LATE_MS_MAX;
  return message.expiresAt > 0 && tries.some((one) => one.leftAt > lastAt)
    ? 'sent after it had expired'
    : null;
}

function isRefusal(said: number | string): boolean {
  return typeof said === 'number' && said >= 400 && said < 500 && said !== 429;
}
