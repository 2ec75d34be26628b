// The numbers of an account's limits, set by hand or back to what the settings say. What is set by hand is shown on the
// account's card, so that nobody wonders later where a pace comes from.

import { useEffect, useState } from 'preact/hooks';
import { ask, messageOf, Refused } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useFetched } from '../../lib/hooks/use-fetched.ts';
import { useSubmit } from '../../lib/hooks/use-once.ts';
import { may } from '../../lib/session-store.ts';
import { Store, useStore } from '../../lib/store.ts';
import type { LimitSetting, LimitSettings } from '../../lib/wire/more.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Answered } from '../../ui/states.tsx';
import { notify } from '../../ui/toast.tsx';

interface Asked {
  readonly account: string;
  readonly done: () => void;
}

type Texts = Readonly<Record<string, string>>;

const NONE = 'none';
const asked = new Store<Asked | null>(null);

export const limitsPath = (account: string) => `/v1/accounts/${encodeURIComponent(account)}/limits`;

// `done`: something was changed, and is to be asked for again.
export function LimitsButton({ account, done }: Asked) {
  if (!may('operator')) return null;
  return (
    <button
      type="button"
      aria-label={`Limits… of ${account}`}
      onClick={() => asked.set({ account, done })}
    >
      Limits…
    </button>
  );
}

export function SetByHand({ settings }: { settings: readonly LimitSetting[] }) {
  const byHand = settings.map(inWordsOf(settings)).filter(({ from }) => from === 'hand');
  if (byHand.length === 0) return null;
  return (
    <ul class="by-hand small">
      {byHand.map(({ name, meaning, value, usual, unit }) => (
        <li key={name}>
          <Badge word="set by hand" tone="cool" /> {meaning}: <b>{shown(value)}</b>{' '}
          {value === null ? '' : unit} <span class="dim">instead of {shown(usual)}</span>{' '}
          <code class="code">{name}</code>
        </li>
      ))}
    </ul>
  );
}

export function LimitDialogs() {
  const now = useStore(asked);
  // Whoever comes in next has not asked for it.
  useEffect(() => () => asked.set(null), []);
  if (now === null) return null;
  return <LimitDialog {...now} close={() => asked.set(null)} />;
}

function LimitDialog({ account, done, close }: Asked & { close: () => void }) {
  const answer = useFetched<LimitSettings>(limitsPath(account));
  return (
    <Dialog title={`Limits of ${account}`} onClose={close}>
      <Answered to={answer}>
        {({ settings }) => (
          <LimitForm {...{ account, done, close }} settings={settings.map(inWordsOf(settings))} />
        )}
      </Answered>
    </Dialog>
  );
}

interface FormProps extends Asked {
  readonly settings: readonly LimitSetting[];
  readonly close: () => void;
}

function LimitForm({ account, settings, done, close }: FormProps) {
  const [texts, setTexts] = useState<Texts>(() => textsOf(settings));
  const [errors, setErrors] = useState<Texts>({});
  const change = changeOf(settings, texts);
  const changed = Object.keys(change).length;
  const save = useSubmit(async () => {
    try {
      await ask<LimitSettings>('PATCH', limitsPath(account), change);
      notify(`${plural(changed, 'limit')} of ${account} changed; in force now.`);
      done();
      close();
    } catch (error) {
      setErrors(errorsOf(error));
    }
  });
  return (
    <form class="edit" onSubmit={save}>
      <p class="dim">
        What you set here holds at once, for this account alone, and survives a restart. Above what
        the platform really gives, it answers with waits; what is learned lowers the pace again.
      </p>
      <div class="limit-fields">
        {settings.map((setting) => (
          <LimitField
            key={setting.name}
            {...{ setting, error: errors[setting.name] }}
            text={texts[setting.name] ?? ''}
            onInput={(text) => setTexts({ ...texts, [setting.name]: text })}
          />
        ))}
      </div>
      {errors[''] === undefined ? null : (
        <p class="small bad-words" role="alert">
          {errors['']}
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" onClick={() => setTexts(usualOf(settings))}>
          All to the default
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={changed === 0}>
          {changed === 0 ? 'Set' : `Set ${plural(changed, 'limit')}`}
        </button>
      </div>
    </form>
  );
}

function LimitField(props: {
  setting: LimitSetting;
  text: string;
  error: string | undefined;
  onInput: (text: string) => void;
}) {
  const { setting, text, error, onInput } = props;
  const { name, meaning, unit, usual } = setting;
  const isUsual = text.trim() === shown(usual);
  return (
    <div class="limit-field">
      <TextField
        type="number"
        label={meaning}
        value={text}
        hint={unit === null ? name : `${unit} · ${name}`}
        error={error}
        onInput={onInput}
      />
      {isUsual ? (
        <span class="dim small">
          {setting.from === 'settings' ? 'from the settings' : 'default'}
        </span>
      ) : (
        <button
          type="button"
          class="small"
          aria-label={`Back to ${shown(usual)}: ${meaning}`}
          onClick={() => onInput(shown(usual))}
        >
          Back to {shown(usual)}
        </button>
      )}
    </div>
  );
}

// A meaning that names another limit by its code says what that one means.
function inWordsOf(settings: readonly LimitSetting[]): (setting: LimitSetting) => LimitSetting {
  const meanings = new Map(settings.map(({ name, meaning }) => [name, meaning]));
  const said = (code: string) => {
    const meaning = meanings.get(code);
    return meaning === undefined ? code : `the ${meaning[0]!.toLowerCase()}${meaning.slice(1)}`;
  };
  return (setting) => ({ ...setting, meaning: setting.meaning.replace(/\w+/g, said) });
}

function shown(value: number | null): string {
  return value === null ? NONE : String(value);
}

function textsOf(settings: readonly LimitSetting[]): Texts {
  return Object.fromEntries(settings.map(({ name, value }) => [name, shown(value)]));
}

function usualOf(settings: readonly LimitSetting[]): Texts {
  return Object.fromEntries(settings.map(({ name, usual }) => [name, shown(usual)]));
}

type Change = Record<string, number | typeof NONE | null>;

// null: back to what the settings say. What is no number is left to the gateway to refuse, with what would be right.
function changeOf(settings: readonly LimitSetting[], texts: Texts): Change {
  const change: Change = {};
  for (const { name, value, usual, from } of settings) {
    const text = (texts[name] ?? '').trim().replace(',', '.');
    const number = Number(text);
    if (text === shown(usual)) {
      if (from === 'hand') change[name] = null;
    } else if (text !== shown(value)) {
      change[name] = text === '' || Number.isNaN(number) ? NONE : number;
    }
  }
  return change;
}

function errorsOf(failure: unknown): Texts {
  const problems = failure instanceof Refused ? failure.problems : [];
  if (problems.length === 0) return { '': messageOf(failure) };
  return Object.fromEntries(
    problems.map(({ path, expected }) => [path.slice(1), `Expected ${expected}.`]),
  );
}
