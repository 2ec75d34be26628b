// Runs the end-to-end suite of node-telegram-bot-api 0.67 twice, straight to a simulated Telegram and through a gateway
// before another one, and compares the results test by test. What the simulator does not know fails on both ways; a
// test that ends differently is a difference of the gateway, and the exit code is 1.
//
//   git clone --branch v0.67.0 https://github.com/yagop/node-telegram-bot-api /tmp/suite
//   (cd /tmp/suite && npm install --ignore-scripts)
//   node test/clients/own-suite/run.ts /tmp/suite

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openRoad } from '../road.ts';

const PRELOAD = fileURLToPath(new URL('./base-url.cjs', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
// It is about what is said, not how fast: neither side has limits to wait for.
const NO_LIMITS = {
  telegram: { truth: Number.POSITIVE_INFINITY },
  flags: ['--group-mpm', '6000', '--private-per-s', '1000', '--broadcast-per-s', '1000'],
};

interface Tested {
  readonly fullTitle: string;
  readonly err: { readonly message?: string };
}

interface Report {
  readonly tests: readonly Tested[];
  readonly pending: readonly Tested[];
}

const checkout = process.argv[2];
if (checkout === undefined) {
  console.error(
    'usage: node test/clients/own-suite/run.ts <checkout of node-telegram-bot-api 0.67>',
  );
  process.exit(2);
}
const direct = await resultsOn('direct', checkout);
const sluice = await resultsOn('sluice', checkout);
const titles = new Set([...direct.keys(), ...sluice.keys()]);
const different = [...titles].filter((title) => direct.get(title) !== sluice.get(title));
for (const title of different) {
  console.log(`DIFFERENT ${title}`);
  console.log(`  direct:         ${direct.get(title)}`);
  console.log(`  through Sluice: ${sluice.get(title)}`);
}
console.log(`${titles.size} tests, ${different.length} ended differently`);
process.exit(different.length === 0 ? 0 : 1);

// How each test ended: passed, skipped, or what its error said. The two ways differ in their addresses alone.
async function resultsOn(kind: 'direct' | 'sluice', suite: string): Promise<Map<string, string>> {
  const road = await openRoad(kind, NO_LIMITS);
  try {
    const { tests, pending } = await mocha(suite, road.url);
    const results = new Map(tests.map(({ fullTitle, err }) => [fullTitle, endOf(err, road.url)]));
    for (const { fullTitle } of pending) results.set(fullTitle, 'skipped');
    const passed = [...results.values()].filter((end) => end === 'passed').length;
    const skipped = pending.length;
    const failed = results.size - passed - skipped;
    console.log(`${kind}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
    return results;
  } finally {
    await road.close();
  }
}

function endOf({ message }: Tested['err'], url: string): string {
  return message === undefined ? 'passed' : message.replaceAll(url, '<base url>');
}

function mocha(cwd: string, baseUrl: string): Promise<Report> {
  const args = ['--require', PRELOAD, 'node_modules/mocha/bin/_mocha', '--reporter', 'json'];
  const env = {
    ...process.env,
    BASE_API_URL: baseUrl,
    TEST_TELEGRAM_TOKEN: '7201:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    TEST_PROVIDER_TOKEN: 'simulated',
    NTBA_FIX_350: '1',
  };
  const options = { cwd, env, maxBuffer: OUTPUT_BYTES_MAX };
  return new Promise((resolve, reject) => {
    // Its exit code is the number of failures.
    execFile(process.execPath, args, options, (_error, stdout, stderr) => {
      const from = stdout.indexOf('{\n  "stats"');
      if (from < 0) reject(new Error(`the suite did not end: ${stdout}${stderr}`));
      else resolve(JSON.parse(stdout.slice(from)) as Report);
    });
  });
}
