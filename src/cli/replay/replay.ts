// sluice replay: a recorded day once more in the simulated world, with the settings as they are and with others, side
// by side. Nothing leaves the machine.

import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { flagOf, SETTING_KEYS, settingOf } from '../../config/config.ts';
import type { DayFigures, Recording } from '../../sim/sim.ts';
import { Failed, type Io, printJson, WrongUsage } from '../io.ts';
import { camelCase, configFrom } from '../settings.ts';
import { describeReplay } from './view.ts';

interface Options {
  readonly set?: readonly string[];
  readonly config?: string;
  readonly truth: string;
  readonly json?: true;
}

// The same jitter in both runs.
const SEED = 1;
const TRUTH = { min: 0.05, max: 100 };

export function addReplay(program: Command, io: Io): void {
  program
    .command('replay')
    .description('what other settings would have done to a recorded day, in the simulated world')
    .argument('<file>', 'a recording (sluice record)')
    .option(
      '--set <name=value>',
      'a setting as in the file, such as limits.group_mpm=15; may be given several times',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--truth <share>', 'the true limits as a share of what is believed', '1')
    .option('--config <file>', 'configuration file with the settings to compare with')
    .option('--json', 'for programs')
    .action(async (file: string, options: Options) => {
      const changes = options.set ?? [];
      const truth = truthOf(options.truth);
      const { config } = options;
      const now = configFrom(io, { config }).config;
      const then = configFrom(io, { config, ...flagsOf(changes) }).config;
      const recording = await readFile(file);
      const { recordedFigures, replay, replayable } = await import('../../sim/sim.ts');
      const { worldEngineWith } = await import('../../app/simulated.ts');
      const deliveries = replayable(recording);
      if (deliveries.length === 0) throw new Failed(`${file} has nothing that can be replayed`);
      const run = (what: string, settings: typeof now): Promise<DayFigures> => {
        const makeEngine = worldEngineWith(settings);
        const onProgress = (share: number) =>
          io.progress?.(`${what}: ${Math.round(share * 100)} % of the time`);
        return replay({ recording, makeEngine, seed: SEED, truth, onProgress });
      };
      const recorded = recordedFigures(deliveries);
      const asSet = await run('with the settings as they are', now);
      const changed = changes.length === 0 ? null : await run(changes.join(', '), then);
      io.progress?.('');
      const leftOut = recording.deliveries.length - deliveries.length;
      if (options.json) return printJson(io, { recorded, asSet, changed, leftOut });
      io.out(describeReplay({ recorded, asSet, changed, changes, leftOut }));
    });
}

async function readFile(file: string): Promise<Recording> {
  if (!existsSync(file)) throw new Failed(`there is no file ${file}`);
  const { readRecording } = await import('../../sim/sim.ts');
  const input = createReadStream(file, 'utf8');
  const read = await readRecording(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  input.destroy();
  if (read.kind === 'read') return read.recording;
  throw new Failed(`${file} is no recording: expected ${read.expected} in line ${read.line}`);
}

// As if they had been said as flags: the same names, the same checks.
function flagsOf(changes: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const change of changes) {
    const [name = '', ...value] = change.split('=');
    const setting = SETTING_KEYS.map(settingOf).find(
      (each) => `${each.section}.${each.name}` === name,
    );
    const flag = setting === undefined ? null : flagOf(setting);
    if (flag === null || value.length === 0) {
      throw new WrongUsage(
        `--set = ${change}: expected NAME=VALUE with a name of \`sluice config\`, such as limits.group_mpm=15`,
      );
    }
    flags[camelCase(flag)] = value.join('=');
  }
  return flags;
}

function truthOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= TRUTH.min && value <= TRUTH.max) return value;
  throw new WrongUsage(`--truth = ${text}: expected a number from ${TRUTH.min} to ${TRUTH.max}`);
}
