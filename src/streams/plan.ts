// From what is shown of a text to what should be: the calls it takes, in order. Pure.
// A text is a list of messages. Those that are there already are changed where they differ, missing ones are sent,
// surplus ones removed; what a message shows already is never said again.

export interface Part {
  // The delivery that made (or will make) the message.
  readonly seq: number;
  readonly messageId: string | null;
  // Of what it was last told to show; null: not known.
  readonly digest: string | null;
  // It cannot be changed any more: someone deleted it.
  readonly isLost: boolean;
}

export type PlanStep =
  | { kind: 'send'; part: number }
  | { kind: 'edit'; part: number; seq: number }
  | { kind: 'remove'; part: number; seq: number };

// `digests`: of the messages as they should be. A lost one is sent anew for the final only: a preview is not worth
// a second message.
export function plan(
  shown: readonly Part[],
  digests: readonly string[],
  isFinal: boolean,
): PlanStep[] {
  const steps: PlanStep[] = [];
  for (const [part, digest] of digests.entries()) {
    const known = shown[part];
    if (known === undefined) steps.push({ kind: 'send', part });
    else if (known.isLost) {
      if (isFinal) steps.push({ kind: 'send', part });
    } else if (known.digest !== digest) steps.push({ kind: 'edit', part, seq: known.seq });
  }
  // From the last: a message that is removed must not be followed by others of the text.
  for (let part = shown.length - 1; part >= digests.length; part--) {
    const { seq, isLost } = shown[part]!;
    if (!isLost) steps.push({ kind: 'remove', part, seq });
  }
  return steps;
}
