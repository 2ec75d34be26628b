// Do sessions that share a chat take turns? Of every two of them: by how many showings the one is ahead of the other. A
// showing counts where the other had something to show, too; where it had nothing, it only makes up for what the other
// is ahead. A text that nothing followed for a while is taken for the last one and goes at once: it counts, but only
// what is shown of its session after that, in its turn, is judged.

export interface Handed {
  readonly at: number;
  readonly text: string;
}

export interface Watched {
  // Every text of its own, in order, and when it was handed over.
  readonly handed: readonly Handed[];
  // Those of them that came on the screen, and when.
  readonly shown: readonly Handed[];
}

// What is taken for the last has been so for 1.5 s at least, of which some may have passed on the way.
const STOOD_STILL_MS = 1200;

export function showingsAhead(sessions: readonly Watched[], until: number): number {
  const places = sessions.map(({ handed }) => new Map(handed.map(({ text }, i) => [text, i])));
  const showings = sessions
    .flatMap(({ shown }, of) => shown.map(({ at, text }) => ({ of, at, text })))
    .filter(({ of, at, text }) => at < until && places[of]!.has(text))
    .sort((a, b) => a.at - b.at);
  const ahead = sessions.map(() => sessions.map(() => 0));
  const newest = sessions.map(() => -1);
  let most = 0;
  for (const { of, at, text } of showings) {
    const place = places[of]!.get(text)!;
    const isJudged = !stoodStill(sessions[of]!, place);
    for (const other of sessions.keys()) {
      if (other === of) continue;
      const next = sessions[other]!.handed[newest[other]! + 1];
      const isWaiting = next !== undefined && next.at < at;
      if (!isWaiting && ahead[of]![other]! >= 0) continue;
      ahead[of]![other]! += 1;
      ahead[other]![of]! -= 1;
      if (isJudged && isWaiting) most = Math.max(most, ahead[of]![other]!);
    }
    newest[of] = place;
  }
  return most;
}

function stoodStill({ handed }: Watched, place: number): boolean {
  const next = handed[place + 1];
  return next === undefined || next.at - handed[place]!.at >= STOOD_STILL_MS;
}
