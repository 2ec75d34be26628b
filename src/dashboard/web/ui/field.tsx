// Fields of forms and filters, each with its name.

import type { ComponentChildren } from 'preact';

export function TextField(props: {
  label: string;
  value: string;
  placeholder?: string;
  onInput: (value: string) => void;
}) {
  const { label, value, placeholder = '', onInput } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder}
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
  onChange: (value: string) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, shown]) => (
          <option key={option} value={option}>
            {shown}
          </option>
        ))}
      </select>
    </label>
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
