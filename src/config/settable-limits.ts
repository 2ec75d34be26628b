// Limits of one account that an operator has set while the gateway runs, over what the settings say. Held to the same
// bounds and relations as the settings themselves; where they are kept is the road's.

import type { AccountId } from '../domain/ids.ts';
import type {
  CheckedLimits,
  LimitChange,
  LimitNumber,
  LimitSetting,
  LimitsByHand,
  WrongLimit,
} from '../domain/limit-setting.ts';
import type { PlatformDefinition } from '../platforms/definition.ts';
import { PLATFORMS } from '../platforms/registry.ts';
import { nearest, type SettingProblem } from './problem.ts';
import type { SettingKey, Settings } from './settings.ts';
import { apply, type Given, relate, settingOf } from './values.ts';

interface Set {
  readonly byHand: LimitsByHand;
  // Made once: whatever is derived from settings is kept by the object.
  readonly settings: Settings;
}

const NOTHING: LimitsByHand = Object.freeze({});

export class SettableLimits {
  readonly #settingsOf: (account: AccountId) => Settings;
  readonly #platformOf: (account: AccountId) => string;
  readonly #set = new Map<AccountId, Set>();

  // As the configuration has them.
  constructor(
    settingsOf: (account: AccountId) => Settings,
    platformOf: (account: AccountId) => string,
  ) {
    this.#settingsOf = settingsOf;
    this.#platformOf = platformOf;
  }

  settingsOf(account: AccountId): Settings {
    return this.#set.get(account)?.settings ?? this.#settingsOf(account);
  }

  // What a change would come to. Nothing is changed by it.
  check(account: AccountId, change: LimitChange): CheckedLimits {
    const names = this.#keysOf(account).map((key) => settingOf(key).name);
    const problems: WrongLimit[] = [];
    const byHand = new Map<string, unknown>(Object.entries(this.#set.get(account)?.byHand ?? {}));
    for (const [name, value] of Object.entries(change)) {
      if (!names.includes(name)) problems.push({ name, expected: unknown(name, names) });
      else if (value === null) byHand.delete(name);
      else byHand.set(name, value);
    }
    const over = this.#over(account, Object.fromEntries(byHand));
    problems.push(...over.problems);
    if (problems.length > 0) return { kind: 'wrong', problems };
    const values = [...byHand.keys()].map((name) => [name, over.byName(name)]);
    return { kind: 'right', byHand: Object.fromEntries(values) };
  }

  // From now on; what is kept may be of another version, so what is wrong by now is told and left out.
  set(account: AccountId, byHand: LimitsByHand): readonly WrongLimit[] {
    if (Object.keys(byHand).length === 0) {
      this.#set.delete(account);
      return [];
    }
    const { settings, problems } = this.#over(account, byHand);
    if (problems.length === 0) this.#set.set(account, { byHand, settings });
    else this.#set.delete(account);
    return problems;
  }

  view(account: AccountId): LimitSetting[] {
    const usual = this.#settingsOf(account);
    const { byHand, settings } = this.#set.get(account) ?? { byHand: NOTHING, settings: usual };
    return this.#keysOf(account).map((key) => {
      const { name, meaning, unit, reader, initial } = settingOf(key);
      const isUsual = usual[key] === initial;
      return {
        ...{ name, meaning, unit, expected: reader.expected },
        value: settings[key] as LimitNumber,
        usual: usual[key] as LimitNumber,
        from: Object.hasOwn(byHand, name) ? 'hand' : isUsual ? 'default' : 'settings',
      };
    });
  }

  #over(account: AccountId, byHand: LimitChange) {
    const keys = this.#keysOf(account);
    const wrong: SettingProblem[] = [];
    const given = Object.entries(byHand).flatMap(([name, raw]): Given[] => {
      const key = keys.find((each) => settingOf(each).name === name);
      if (key === undefined) wrong.push({ name, value: null, expected: unknown(name, []) });
      return key === undefined ? [] : [{ key, raw, name }];
    });
    const { settings } = apply(this.#settingsOf(account), given, wrong);
    if (wrong.length === 0) relate(settings, '', wrong);
    const byName = (name: string) =>
      settings[keys.find((key) => settingOf(key).name === name)!] as LimitNumber;
    const problems = wrong.map(({ name, expected }) => ({ name, expected: said(expected) }));
    return { settings, problems, byName };
  }

  #keysOf(account: AccountId): SettingKey[] {
    const platforms: readonly PlatformDefinition[] = PLATFORMS;
    const platform = platforms.find(({ name }) => name === this.#platformOf(account));
    return Object.entries(platform?.settings ?? {})
      .filter(([, { section, perAccount }]) => section === 'limits' && perAccount)
      .map(([key]) => key as SettingKey);
  }
}

function unknown(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const hint = names.length === 0 ? '' : `; there are ${names.join(', ')}`;
  return `no such limit of this platform${near === null ? hint : `; did you mean ${near}?`}`;
}

// Said after "expected", which problems of a start say themselves.
function said(expected: string): string {
  return expected.replace(/^expected /, '');
}
