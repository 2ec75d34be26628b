// What settings were called in files of earlier versions. A file that worked goes on working: a setting under its old
// name is read as the one it has become, one that is gone is left out, and both are told as a warning.
// The tests read a kept file of each version (`test/settings/`). Whoever renames a setting adds a row here, raises
// FILE_VERSION and keeps a file of the new version.

import type { SettingKey } from './settings.ts';

// What `version` of the file may say; left out: any of them.
export const FILE_VERSION = 2;

export interface FormerName {
  // `section.name` in the file; as a variable SLUICE_<NAME>.
  readonly name: string;
  // The first version without it.
  readonly until: number;
  // null: it is gone.
  readonly key: SettingKey | null;
  // What holds instead of one that is gone.
  readonly instead: string;
}

export const FORMER_NAMES: readonly FormerName[] = [
  { name: 'limits.active_window_s', until: 2, key: 'activeWindowS', instead: '' },
  {
    name: 'retention.idempotency_hours',
    until: 2,
    key: null,
    instead: 'an Idempotency-Key is remembered for 24 hours',
  },
];

export function formerVariableOf({ name }: FormerName): string {
  return `SLUICE_${name.slice(name.indexOf('.') + 1).toUpperCase()}`;
}

// `written`: as the person wrote it; `now`: how one would write it today.
export function formerInWords(former: FormerName, written: string, now: string | null): string {
  if (now !== null) return `${written} is called ${now} since version ${former.until} of the file`;
  return `${written} has no effect since version ${former.until} of the file: ${former.instead}`;
}
