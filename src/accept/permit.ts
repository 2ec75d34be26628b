// Whether a key with bounds may make a call: every way to make, change or repeat one asks here. What is judged is what
// is sent: the parameters are returned as the platform will read them, so that it cannot read them otherwise, and the
// method is the one that the parameters amount to, whatever name it was asked under.

import { ATTACH, type Files, NO_FILES } from '../domain/body.ts';
import type { PlainParams } from '../domain/targets.ts';
import type { Bounds } from '../keys/keys.ts';
import type { Calls } from '../platforms/platform.ts';

type Params = Readonly<Record<string, unknown>>;

// Parts of a form that are named so cannot be taken for anything but the file they hold.
const PART_NAME = /^[\w.-]{1,64}$/;

export type Permit =
  // The parameters to send.
  | { readonly kind: 'permitted'; readonly params: Params }
  // `detail` is '' where it says no more than that it lies outside.
  | { readonly kind: 'refused'; readonly detail: string };

export const OUTSIDE: Permit = Object.freeze({ kind: 'refused', detail: '' });

// The account is judged apart, and before.
export function permitted(
  calls: Pick<Calls, 'describe' | 'plainParams' | 'targets'>,
  bounds: Bounds,
  call: { readonly method: string; readonly params: Params; readonly files?: Files },
): Permit {
  if (!bounds.judgesCalls) return { kind: 'permitted', params: call.params };
  const { files = NO_FILES } = call;
  const plain = plainOf(calls, call.params);
  if (plain.kind === 'unreadable') return { kind: 'refused', detail: unreadable(plain.name) };
  const { params } = plain;
  if (!areParts(params, files)) return { kind: 'refused', detail: unreadable('') };
  const described = calls.describe(call.method, params);
  // One that cannot be read is refused for that, by whoever asks.
  const method = described.kind === 'invalid' ? call.method : described.method;
  const isOwn = bounds.mayCall(method, calls.targets(method, params));
  return isOwn ? { kind: 'permitted', params } : OUTSIDE;
}

// As the platform will read them.
export function plainOf(calls: Pick<Calls, 'plainParams'>, params: Params): PlainParams {
  return calls.plainParams?.(params) ?? { kind: 'plain', params };
}

function unreadable(name: string): string {
  return name === ''
    ? 'with a key that has bounds, parameters and files have names of small letters, digits and _'
    : `with a key that has bounds, ${name} must be an object or array in strict JSON`;
}

// A file must not come under the name of a parameter that has a value of its own.
function areParts(params: Params, files: Files): boolean {
  return Object.keys(files).every((name) => {
    const value = params[name];
    return PART_NAME.test(name) && (value === undefined || value === `${ATTACH}${name}`);
  });
}
