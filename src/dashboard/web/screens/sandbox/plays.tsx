// What Sluice is for, at the press of a button: a text that grows, a flood, a penalty. Each plays on the built-in
// simulator alone, and its button rests while its run is under way.

import { Panel } from '../../ui/parts.tsx';
import { FloodPlay } from './flood-play.tsx';
import { PenaltyPlay } from './penalty-play.tsx';
import { StreamPlay } from './stream-play.tsx';

export function Plays() {
  return (
    <Panel title="Try it" more={<span class="dim">One click each, on the simulated platform</span>}>
      <ul class="cards plays">
        <li>
          <StreamPlay />
        </li>
        <li>
          <FloodPlay />
        </li>
        <li>
          <PenaltyPlay />
        </li>
      </ul>
    </Panel>
  );
}
