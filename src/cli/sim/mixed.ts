// Worlds of several platforms for the command line: which ones, and what trouble one of them has. With a trouble the
// same seed is run without it as well, and what became of the others is compared.

import { worldEngine } from '../../app/simulated.ts';
import {
  checkApart,
  MIXED_PLATFORMS,
  type MixedOptions,
  type MixedTrouble,
  runMixedWorld,
  TROUBLES,
  type WorldReport,
} from '../../sim/sim.ts';
import { WrongUsage } from '../io.ts';

type Progress = (minute: number) => void;
type Size = Pick<MixedOptions, 'minutes' | 'accounts' | 'chats' | 'crashes'>;

export interface MixedPlan extends Size {
  readonly platforms: readonly string[];
  readonly trouble: MixedTrouble | null;
}

const ALL = 'all';
const NAMES = MIXED_PLATFORMS.map(({ name }) => name);

export function mixedPlan(
  size: Size,
  given: { readonly platforms?: string; readonly trouble?: string },
): MixedPlan {
  const { platforms: named = ALL } = given;
  const platforms = named === ALL ? NAMES : named.split(',').map((name) => name.trim());
  const unknown = platforms.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new WrongUsage(`--platforms: ${unknown} is none of ${NAMES.join(', ')}`);
  }
  const accounts = Math.max(1, Math.round(size.accounts / platforms.length));
  const chats = Math.max(1, Math.round(size.chats / platforms.length / accounts));
  return { ...size, accounts, chats, platforms, trouble: troubleOf(given.trouble, platforms) };
}

function troubleOf(text: string | undefined, platforms: readonly string[]): MixedTrouble | null {
  if (text === undefined) return null;
  const [platform = '', name = ''] = text.split(':');
  const kind = TROUBLES.find((each) => each === name);
  if (kind !== undefined && platforms.includes(platform)) return { platform, kind };
  throw new WrongUsage(`--trouble = ${text}: expected <platform>:<${TROUBLES.join('|')}>`);
}

export async function runMixedPlan(
  plan: MixedPlan,
  seed: number,
  onProgress: Progress,
): Promise<WorldReport> {
  const { trouble } = plan;
  const options = { ...plan, seed, makeEngine: worldEngine, onProgress };
  if (trouble === null) return withoutFates(await runMixedWorld(options));
  // Nothing else may differ: no chance is drawn twice, and no commit is shared.
  const quiet = { ...options, crashes: 0, faults: {}, commitMsMax: 0 };
  const calm = await runMixedWorld({ ...quiet, trouble: null });
  const troubled = await runMixedWorld(quiet);
  const apart = checkApart(calm.fates, troubled.fates, trouble.platform);
  const { findings, broken } = withoutFates(troubled);
  return {
    ...withoutFates(troubled),
    ok: troubled.ok && calm.ok && apart.length === 0,
    findings: [...calm.findings, ...findings, ...apart],
    broken: { ...calm.broken, ...broken, ...(apart.length === 0 ? {} : { apart: apart.length }) },
  };
}

// Every message of a world is too much to print.
function withoutFates({ fates: _fates, ...report }: Awaited<ReturnType<typeof runMixedWorld>>) {
  return report satisfies WorldReport;
}
