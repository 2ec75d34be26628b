// Opens the platforms of the registry: each with its settings, its connections, the uploads, and the simulator that
// stands for it in this process.

import type { Config, Settings } from '../config/config.ts';
import type { ReportFault } from '../domain/fault.ts';
import { isLoopback } from '../http/edge.ts';
import { type Priors, withRules } from '../limits/limits.ts';
import { bounded } from '../platforms/bounded.ts';
import type { PlatformDefinition } from '../platforms/definition.ts';
import type { FileSource, Platform } from '../platforms/platform.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { openSimulator, type SimPeople } from '../sim/sim.ts';
import type { Clock } from '../system/clock.ts';
import { undiciTransport } from '../system/http/http.ts';
import type { Log } from '../system/log.ts';
import type { Random } from '../system/random.ts';

// Enough for every account's calls in flight at once: connections must not be what one account takes from another.
const CONNECTIONS_MAX = 4096;

// What a test changes about the platforms.
export interface PlatformChoice {
  // Those of the registry when left out.
  readonly platforms?: readonly PlatformDefinition[];
  // Puts something around each of them.
  readonly wrap?: (platform: Platform) => Platform;
}

export interface OpenedPlatforms {
  readonly platforms: ReadonlyMap<string, Platform>;
  // The simulators that sandbox tokens talk to, as the people in their chats see them; none: the sandbox is off.
  readonly sandboxes: ReadonlyMap<string, SimPeople>;
}

export interface PlatformPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly files: FileSource;
  readonly report: ReportFault;
  readonly log: Pick<Log, 'warn'>;
}

export function definitionsOf({ platforms = PLATFORMS }: PlatformChoice) {
  return platforms;
}

export async function openPlatforms(
  config: Config,
  choice: PlatformChoice,
  ports: PlatformPorts,
): Promise<OpenedPlatforms> {
  const { clock, random, files, report, log } = ports;
  const { wrap = (platform: Platform) => platform } = choice;
  const platforms = new Map<string, Platform>();
  const sandboxes = new Map<string, SimPeople>();
  for (const definition of definitionsOf(choice)) {
    const own = isSandboxOn(config) ? openSimulator(definition.name, { clock, random }) : null;
    if (own !== null) sandboxes.set(definition.name, own.people);
    const opened = await definition.open({
      settings: { ...config },
      clock,
      connect: (baseUrl) => undiciTransport({ baseUrl, connectionsMax: CONNECTIONS_MAX }),
      sandbox: own?.transport ?? null,
      files,
      reusesFiles: config.uploadReuse,
      isLoopback: isLoopback(config.host),
      warn: (fields, message) => log.warn({ platform: definition.name, ...fields }, message),
    });
    platforms.set(opened.name, bounded(wrap(opened), { clock, report }));
  }
  return { platforms, sandboxes };
}

// Anyone may make accounts of the simulator, so where others than this machine can call, it is off unless it is wanted.
function isSandboxOn({ sandbox, host }: Config): boolean {
  return sandbox ?? isLoopback(host);
}

// The platform's own limits as the settings have them, and the operator's beside them.
// Accounts without settings of their own share them, and what follows from them: there may be very many.
export function priorsBySettings(): (platform: Platform, settings: Settings) => Priors {
  const known = new WeakMap<Settings, Map<string, Priors>>();
  return (platform, settings) => {
    const { name, tuning, limits } = platform;
    const made = known.get(settings) ?? new Map<string, Priors>();
    known.set(settings, made);
    const own = () => (tuning === undefined ? limits : tuning.limits(settings));
    const priors = made.get(name) ?? withRules(own(), rulesFor(name, settings));
    made.set(name, priors);
    return priors;
  };
}

function rulesFor(name: string, { limitRules }: Settings) {
  return limitRules.filter(({ platform }) => platform === null || platform === name);
}
