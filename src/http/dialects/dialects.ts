// The platforms' own APIs, as far as the gateway serves them: opened once, used over HTTP and from inside the process.

import type { WaitingCallers } from '../../accept/callers.ts';
import type { Dialect, Platform } from '../../platforms/platform.ts';
import type { HttpParts } from '../context.ts';
import type { ServedPlatform } from './answers.ts';
import { DropIn } from './drop-in.ts';

// By the platform's name.
export type Dialects = ReadonlyMap<string, DropIn>;

export function openDialects(options: HttpParts, waiting: WaitingCallers): Dialects {
  const served = [...options.platforms.values()].filter(isServed);
  return new Map(
    served.map((platform) => [platform.name, new DropIn(options, platform, waiting)] as const),
  );
}

// In whose words is a refusal said, when the URL is all that is known? null: in none of theirs.
export function dialectAt(dialects: Dialects, url: string): Dialect | null {
  for (const { platform } of dialects.values()) {
    if (platform.dialect.own.test(url)) return platform.dialect;
  }
  return null;
}

function isServed(platform: Platform): platform is ServedPlatform {
  return platform.dialect !== undefined && platform.passage !== undefined;
}
