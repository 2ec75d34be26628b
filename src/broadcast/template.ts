// A call with open fields: `{{name}}` in any of its strings is filled from the recipient, `{{name|friend}}` has a
// default, `{{name|}}` may stay empty. Read once, filled for each recipient. What is no field is left as it is.

import type { BroadcastRules } from '../platforms/platform.ts';

export type Values = Readonly<Record<string, string>>;
type Params = Record<string, unknown>;
type Part = (values: Values) => unknown;

export type Filled = { kind: 'filled'; params: Params } | { kind: 'missing'; field: string };

const FIELD = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63})\s*(?:\|([^{}]*))?\}\}/gu;

type EscapeFor = BroadcastRules['escape'];

// Where nothing is marked up.
const asItIs: EscapeFor = () => String;

export class Template {
  // Every field it names, and those among them without a default.
  readonly fields: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly #fill: Part;

  constructor(body: Readonly<Record<string, unknown>>, escapeFor: EscapeFor = asItIs) {
    const fields = new Set<string>();
    const required = new Set<string>();
    for (const [, name, byDefault] of JSON.stringify(body).matchAll(FIELD)) {
      fields.add(name!);
      if (byDefault === undefined) required.add(name!);
    }
    this.fields = fields;
    this.required = required;
    this.#fill = partOf(body, {}, '', escapeFor);
  }

  fill(values: Values): Filled {
    for (const field of this.required) {
      if ((values[field] ?? '') === '') return { kind: 'missing', field };
    }
    return { kind: 'filled', params: this.#fill(values) as Params };
  }
}

function partOf(value: unknown, holder: Params, key: string, escapeFor: EscapeFor): Part {
  if (typeof value === 'string') return textPart(value, holder, key, escapeFor);
  if (Array.isArray(value)) {
    const parts = value.map((each) => partOf(each, holder, key, escapeFor));
    return (values) => parts.map((part) => part(values));
  }
  if (typeof value !== 'object' || value === null) return () => value;
  const own = value as Params;
  const parts = Object.entries(own).map(
    ([name, each]) => [name, partOf(each, own, name, escapeFor)] as const,
  );
  return (values) => Object.fromEntries(parts.map(([name, part]) => [name, part(values)]));
}

function textPart(text: string, holder: Params, key: string, escapeFor: EscapeFor): Part {
  if (!text.includes('{{')) return () => text;
  const written = escapeFor(holder, key, text.replace(FIELD, '') === '');
  return (values) =>
    text.replace(FIELD, (_, name: string, byDefault: string | undefined) => {
      const value = values[name] ?? '';
      // The default was written by whoever wrote the markup around it.
      return value === '' ? (byDefault ?? '') : written(value);
    });
}

// Stands for a field while its text is put into a platform's form: no sign of any text, nor of any markup.
const HELD = '\ufdd0';

// A text in the platform's own form, with its fields as they were: to escape their signs would change their names.
export function textTemplate(
  text: string,
  textParams: (text: string) => Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields: string[] = [];
  const held = text.replaceAll(HELD, '').replace(FIELD, (field) => {
    fields.push(JSON.stringify(field).slice(1, -1));
    return HELD;
  });
  const written = JSON.stringify(textParams(held));
  return JSON.parse(written.replaceAll(HELD, () => fields.shift() ?? '')) as Record<
    string,
    unknown
  >;
}
