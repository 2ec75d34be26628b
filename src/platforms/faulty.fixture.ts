// A platform that fails in one of its methods: throws, rejects, or never answers. The methods are read off the platform
// it wraps, so that a method added to the port is tried without a word here.

import type { Platform } from './platform.ts';

export type FaultMode = 'throws' | 'rejects' | 'hangs';

export interface Fault {
  // `send`, or `live.render` of a part of the port.
  readonly method: string;
  readonly mode: FaultMode;
}

// What the port calls asynchronous; everything else answers at once, and cannot hang or reject.
const ASYNC = ['send', 'identify', 'timeAt', 'close', 'passage.pass', 'passage.download'];
const PARTS = ['passage', 'live'] as const;

export function methodsOf(platform: Platform): string[] {
  return ['', ...PARTS].flatMap((part) => {
    const of = (part === '' ? platform : platform[part as (typeof PARTS)[number]]) ?? {};
    return Object.entries(of)
      .filter(([, value]) => typeof value === 'function')
      .map(([name]) => (part === '' ? name : `${part}.${name}`));
  });
}

export function faultsOf(platform: Platform): Fault[] {
  return methodsOf(platform).flatMap((method): Fault[] =>
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
  { method, mode }: Fault,
  isMeant: (args: string) => boolean,
): Platform {
  const [part, name] = method.includes('.') ? method.split('.') : [null, method];
  const of = (part === null ? platform : platform[part as 'live']) as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const good = of[name!]!;
  const bad = (...args: unknown[]) => {
    if (!isMeant(JSON.stringify(args))) return good.apply(of, args);
    const error = new TypeError(`${method} is broken`);
    if (mode === 'throws') throw error;
    return mode === 'rejects' ? Promise.reject(error) : new Promise(() => {});
  };
  if (part === null) return { ...platform, [name!]: bad };
  return { ...platform, [part]: { ...of, [name!]: bad } };
}
