// One play: its button, what is to be seen and what would have happened without Sluice, how far its run is.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { sentence } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useMark } from '../../lib/mark.ts';
import type { Explanation } from '../../lib/wire/more.ts';
import { Why } from '../../ui/reason.tsx';
import { attempt } from '../../ui/toast.tsx';

interface Props {
  // `flood`, for `Play a flood`.
  readonly name: string;
  readonly seen: string;
  readonly without: string;
  readonly isUnderWay: boolean;
  // Done when the run is known to be under way.
  readonly play: () => Promise<void>;
  // Left out or null: it was never played.
  readonly children?: ComponentChildren;
}

export function PlayCard({ name, seen, without, isUnderWay, play, children }: Props) {
  const [isStarting, setIsStarting] = useState(false);
  const start = async () => {
    setIsStarting(true);
    await attempt(async () => {
      await play();
      return `The ${name} is under way.`;
    });
    setIsStarting(false);
  };
  return (
    <article class="card play" aria-label={sentence(name)}>
      <header>
        <h3>{sentence(name)}</h3>
        <button
          type="button"
          class="primary"
          disabled={isStarting || isUnderWay}
          onClick={() => void start()}
        >
          Play a {name}
        </button>
      </header>
      <p>{seen}</p>
      <p class="dim">
        <b>Without Sluice</b> {without}
      </p>
      {children}
    </article>
  );
}

// Why one of its messages waits, or what became of it, in the gateway's words.
export function WhyOf({ id, isLive }: { id: string; isLive: boolean }) {
  const mark = useMark('deliveries');
  const path = `/v1/messages/${encodeURIComponent(id)}/explain`;
  const { data } = useFetched<Explanation>(path, isLive ? mark : 'over');
  return data === null ? null : (
    <p class="small">
      <Why why={data.summary} code={data.cause} />
    </p>
  );
}
