// Promise 3: within a lane, messages of one priority take effect in the order they were submitted.
// A message for later stands where its time puts it. An edit that took the place of an older one may
// stand anywhere between that place and its own.

import { type Check, type Evidence, type Finding, type Story, takenAt, tell } from '../evidence.ts';

// How far the engine's clock of acceptance may be from the moment of submission, for messages for later.
const LATER_SLACK_MS = 1000;
// Keeps those of one instant in order; far below the time between any two instants.
const PER_NUMBER_MS = 1e-6;

interface Stand {
  readonly story: Story;
  readonly at: number;
  // The places in line that it may have had.
  readonly first: number;
  readonly last: number;
}

export const checkOrder: Check = (evidence) => {
  const inherited = inheritedPlaces(evidence);
  const lanes = new Map<string, Stand[]>();
  for (const story of evidence.stories) {
    const at = takenAt(story);
    // Whoever was told that it failed, or nothing, was promised no place.
    if (at === null || story.refused !== null) continue;
    const { token, chat, thread, priority } = story.message;
    const lane = `${token}/${chat}/${thread}/${priority}`;
    const place = placeInLine(story, evidence);
    const slack = story.message.notBefore > 0 ? LATER_SLACK_MS : 0;
    const first = Math.min(place - slack, inherited.get(story.record?.seq ?? -1) ?? place);
    const stands = lanes.get(lane) ?? [];
    stands.push({ story, at, first, last: place + slack });
    lanes.set(lane, stands);
  }
  return [...lanes.values()].flatMap((stands) => overtaken(stands, evidence));
};

function overtaken(stands: Stand[], evidence: Evidence): Finding[] {
  const byTime = [...stands].sort((a, b) => a.at - b.at || a.first - b.first);
  const findings: Finding[] = [];
  let ahead: Stand | null = null;
  for (const stand of byTime) {
    if (ahead !== null && ahead.first > stand.last && ahead.at < stand.at) {
      const first = tell(ahead.story, evidence.startedAt);
      const second = tell(stand.story, evidence.startedAt);
      findings.push({ check: 'order', facts: `${first} · overtook ${second}` });
    }
    if (ahead === null || stand.first > ahead.first) ahead = stand;
  }
  return findings;
}

function placeInLine(story: Story, evidence: Evidence): number {
  const entersAt = Math.max(story.submittedAt, story.message.notBefore);
  return entersAt - evidence.startedAt + story.number * PER_NUMBER_MS;
}

// By seq: the foremost place among all those it replaced, one after the other.
function inheritedPlaces(evidence: Evidence): Map<number, number> {
  const places = new Map<number, number>();
  const bySeq = [...evidence.bySeq.entries()].sort(([a], [b]) => a - b);
  for (const [seq, story] of bySeq) {
    const by = story.record?.supersededBy ?? null;
    if (by === null) continue;
    const own = Math.min(placeInLine(story, evidence), places.get(seq) ?? Number.POSITIVE_INFINITY);
    places.set(by, Math.min(own, places.get(by) ?? Number.POSITIVE_INFINITY));
  }
  return places;
}
