// Fields of forms and filters, each with its name.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

// What the browser helps with: its keys, and what it knows. Nothing that is typed is kept, whatever it is.
const INPUTS = {
  text: { type: 'text', autoComplete: 'off' },
  number: { type: 'text', inputMode: 'decimal', autoComplete: 'off' },
  tel: { type: 'tel', inputMode: 'tel', autoComplete: 'off' },
  code: { type: 'text', inputMode: 'numeric', autoComplete: 'one-time-code' },
} as const;

export function TextField(props: {
  label: string;
  value: string;
  type?: keyof typeof INPUTS;
  placeholder?: string;
  // What it is for, below it.
  hint?: string | undefined;
  error?: string | undefined;
  onInput: (value: string) => void;
}) {
  const { label, value, type = 'text', placeholder = '', hint, error, onInput } = props;
  const id = useId();
  return (
    <Told id={id} hint={hint} error={error}>
      <label class="field">
        <span>{label}</span>
        <input
          {...INPUTS[type]}
          {...toldBy(id, hint, error)}
          value={value}
          placeholder={placeholder}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </label>
    </Told>
  );
}

interface Telling {
  readonly id: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

// A field with what is said of it. Not within its label: that is its name.
function Told({ id, hint, error, children }: Telling & { children: ComponentChildren }) {
  if (hint === undefined && error === undefined) return <>{children}</>;
  return (
    <div class="told">
      {children}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="dim small">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} class="small bad-words" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function toldBy(id: string, hint: string | undefined, error: string | undefined) {
  const ids = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': true }),
  };
}

// What is typed is not shown, nor kept by the browser.
export function SecretField(props: {
  label: string;
  value: string;
  onInput: (value: string) => void;
}) {
  const { label, value, onInput } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="password"
        value={value}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

// A date with its time, where one sits.
export function MomentField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { label, value, onChange } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

export function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  const { label, value, options, error, onChange } = props;
  const id = useId();
  return (
    <Told id={id} error={error}>
      <label class="field">
        <span>{label}</span>
        <select
          {...toldBy(id, undefined, error)}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map(([option, shown]) => (
            <option key={option} value={option}>
              {shown}
            </option>
          ))}
        </select>
      </label>
    </Told>
  );
}

// A row of choices of which one is on.
export function Tabs(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: ComponentChildren])[];
  onChange: (value: string) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere
    <div class="tabs" role="group" aria-label={label}>
      {options.map(([option, shown]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {shown}
        </button>
      ))}
    </div>
  );
}
