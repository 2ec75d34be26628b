// npm run recording: docs/images/top.svg, a picture that moves: what `sluice top` draws while a real gateway has
// traffic and trouble. Nothing in it is painted by hand. It holds no script; CSS shows one frame after the other.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../src/cli/program.ts';
import { sleep, systemClock } from '../src/system/clock.ts';
import { Scene } from '../test/page/scene.ts';
import { GatewayProcess } from '../test/process/gateway.ts';
import { pictureOfFrames } from './recording/svg.ts';
import { ROOT } from './run.ts';

const PICTURE = join(ROOT, 'docs', 'images', 'top.svg');
const SIZE = { columns: 104, rows: 30 };
const FRAMES = 14;
const BEFORE_MS = 20_000;
const HOME = '\u001b[H';

const gateway = new GatewayProcess('http://127.0.0.1:9');
const clock = systemClock();
let isOver = false;
try {
  await gateway.start();
  const scene = new Scene(gateway);
  await scene.makeTrouble(30);
  await scene.broadcast('Opening hours', chats(5000));
  await scene.openStream('-1003333333333', 'Here is what I found about your question: ');
  const traffic = keepTalking(scene);
  await sleep(clock, BEFORE_MS);
  const frames = await record(gateway.url, gateway.key);
  isOver = true;
  await traffic;
  writeFileSync(PICTURE, pictureOfFrames(frames, SIZE));
  console.log('docs/images/top.svg');
} finally {
  isOver = true;
  await gateway.end('SIGKILL');
  gateway.remove();
}

async function keepTalking(scene: Scene): Promise<void> {
  for (let n = 0; !isOver; n++) {
    await scene.send(String(600 + (n % 40)), `Reminder ${n}: your appointment is tomorrow`);
    await sleep(clock, 120 + 300 * Math.abs(Math.sin(n / 12)));
  }
}

// `top` itself, on a terminal that keeps what it is told to draw.
async function record(url: string, key: string): Promise<string[]> {
  const frames: string[] = [];
  let press = (_key: string) => {};
  const code = await runCli(['top'], {
    env: { SLUICE_URL: url, SLUICE_KEY: key },
    out: () => {},
    err: (line) => console.error(line),
    terminal: {
      size: () => SIZE,
      isColoured: true,
      write(text) {
        if (text.includes(HOME)) frames.push(text.slice(text.indexOf(HOME) + HOME.length));
        console.error(`frame ${frames.length} of ${FRAMES}`);
        if (frames.length === FRAMES) press('q');
      },
      attend(handlers) {
        press = handlers.key;
        return () => {};
      },
    },
  });
  if (code !== 0) throw new Error(`top ended with ${code}`);
  return frames.slice(0, FRAMES);
}

function chats(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(10_000 + i));
}
