// Whether a key with bounds may make a call: every way to make, change or repeat one asks here. What is judged is what
// is sent: the parameters come back as the platform will read them, with no second reading left in them.

import { ATTACH, type Files, NO_FILES } from '../domain/upload.ts';
import type { Bounds } from '../keys/keys.ts';
import type { Platform } from '../platforms/platform.ts';

type Params = Readonly<Record<string, unknown>>;

// Parts of a form that are named so cannot be taken for anything but the file they hold.
const PART_NAME = /^[\w.-]{1,64}$/;

// The parameters to send; null: it may not. The account is judged apart, and before.
export function permitted(
  platform: Pick<Platform, 'plainParams' | 'targets'>,
  bounds: Bounds,
  call: { readonly method: string; readonly params: Params; readonly files?: Files },
): Params | null {
  if (!bounds.judgesCalls) return call.params;
  const { method, files = NO_FILES } = call;
  const plain = platform.plainParams(call.params);
  if (plain.kind === 'unreadable' || !areParts(plain.params, files)) return null;
  return bounds.mayCall(method, platform.targets(method, plain.params)) ? plain.params : null;
}

// A file must not come under the name of a parameter that has a value of its own.
function areParts(params: Params, files: Files): boolean {
  return Object.keys(files).every((name) => {
    const value = params[name];
    return PART_NAME.test(name) && (value === undefined || value === `${ATTACH}${name}`);
  });
}
