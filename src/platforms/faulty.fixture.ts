// A platform that fails in one of its methods: throws, rejects, or never answers. The methods are read off the platform
// it wraps, so that a method added to the port is tried without a word here.

import type { Platform } from './platform.ts';

export type FaultMode = 'throws' | 'rejects' | 'hangs';

export interface PlatformFault {
  // With the part of the port it belongs to: `wire.send`.
  readonly method: string;
  readonly mode: FaultMode;
}

// What the port calls asynchronous; everything else answers at once, and cannot hang or reject.
const ASYNC = [
  ...['wire.send', 'wire.identify', 'wire.timeAt', 'wire.close'],
  ...['passage.pass', 'passage.download'],
];

type Part = Readonly<Record<string, (...args: unknown[]) => unknown>>;

export function methodsOf(platform: Platform): string[] {
  return Object.entries(platform)
    .filter(([name, part]) => name !== 'credentials' && typeof part === 'object')
    .flatMap(([name, part]) =>
      Object.entries(part as Part)
        .filter(([, value]) => typeof value === 'function')
        .map(([method]) => `${name}.${method}`),
    );
}

export function faultsOf(platform: Platform): PlatformFault[] {
  return methodsOf(platform).flatMap((method): PlatformFault[] =>
    ASYNC.includes(method)
      ? [
          { method, mode: 'throws' },
          { method, mode: 'rejects' },
          { method, mode: 'hangs' },
        ]
      : [{ method, mode: 'throws' }],
  );
}

// `isMeant` is told the arguments of a call, as JSON text, and says whether this one fails.
export function faulty(
  platform: Platform,
  { method, mode }: PlatformFault,
  isMeant: (args: string) => boolean,
): Platform {
  const [part, name] = method.split('.') as [keyof Platform, string];
  const of = platform[part] as unknown as Part;
  const good = of[name]!;
  const bad = (...args: unknown[]) => {
    if (!isMeant(JSON.stringify(args))) return good.apply(of, args);
    const error = new TypeError(`${method} is broken`);
    if (mode === 'throws') throw error;
    return mode === 'rejects' ? Promise.reject(error) : new Promise(() => {});
  };
  // Every call is asked for, also one that is of one message to a platform in good order.
  const asked = part === 'repairs' ? { wholeUnitsMax: 0, partsMark: '' } : null;
  return { ...platform, [part]: { ...of, ...asked, [name]: bad } };
}
