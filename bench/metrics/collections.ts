// What it costs a thread to be told of its garbage collections, which a single listener already brings about.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { watchProcess } from './process-watch.ts';
import { inTurns } from './turns.ts';

const TURNS = 12;
const COLLECTIONS = 300;

// Milliseconds of processor time for each notice.
export async function noticeMs(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: (kind: { type: 'minor' }) => void = runInNewContext('gc');
  const work = async () => {
    for (let i = 0; i < COLLECTIONS; i++) {
      collect({ type: 'minor' });
      // Notice is given in the next turn of the loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const { one: told, other: untold } = await inTurns(
    TURNS,
    async (measure) => {
      const watch = watchProcess();
      await measure(work);
      watch.stop();
    },
    (measure) => measure(work),
  );
  return (told - untold) / COLLECTIONS;
}
