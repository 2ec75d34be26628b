// A schema for a person's eyes: what each field may be, whether it must be there, what it means.

import type { Schema } from '../openapi/description.ts';
import { type Html, html, join, prose } from './html.ts';

const REF = '#/components/schemas/';
const DEPTH_MAX = 6;

export function showSchema(schema: Schema, depth = 0): Html {
  const fields = fieldsOf(schema);
  if (fields === null || depth > DEPTH_MAX) return html`<p class="type">${typeOf(schema)}</p>`;
  return html`<dl>${fields.map(([name, field, isRequired]) => showField(name, field, isRequired, depth))}</dl>`;
}

function showField(name: string, field: Schema, isRequired: boolean, depth: number): Html {
  const { description } = field;
  const said = typeof description === 'string' ? prose(description) : null;
  const within = innerOf(field);
  return html`<dt><code>${name}</code> <span class="type">${typeOf(field)}${isRequired ? '' : ', optional'}</span></dt>
<dd>${said}${within === null || depth >= DEPTH_MAX ? null : showSchema(within, depth + 1)}</dd>`;
}

// Its own fields, or those of what it is a list of; null: it has none.
function innerOf(schema: Schema): Schema | null {
  if (fieldsOf(schema) !== null) return schema;
  const { items } = schema as { items?: Schema };
  return items !== undefined && fieldsOf(items) !== null ? items : null;
}

function fieldsOf(schema: Schema): [string, Schema, boolean][] | null {
  const { properties, required = [] } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
  };
  if (properties === undefined) return null;
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items } = schema as { $ref?: string; anyOf?: Schema[]; items?: Schema };
  if ($ref !== undefined) {
    const name = $ref.slice(REF.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return join(anyOf.map(typeOf), ' or ');
  if (items !== undefined) return html`list of ${typeOf(items)}`;
  const { type, const: only } = schema;
  const values = schema.enum as readonly unknown[] | undefined;
  if (values !== undefined) return html`${values.map(String).join(' | ')}`;
  if (only !== undefined) return html`${JSON.stringify(only)}`;
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'anything');
  return html`${name}${boundsOf(schema)}`;
}

function boundsOf(schema: Schema): string {
  const bounds: Readonly<Record<string, string>> = {
    minLength: 'at least % characters',
    maxLength: 'at most % characters',
    minItems: 'at least %',
    maxItems: 'at most %',
    minimum: 'from %',
    exclusiveMinimum: 'above %',
    maximum: 'up to %',
    pattern: 'like %',
  };
  const said = Object.entries(bounds)
    // That a text is not empty goes without saying.
    .filter(([name]) => schema[name] !== undefined && !(name === 'minLength' && schema[name] === 1))
    .map(([name, words]) => words.replace('%', () => String(schema[name])));
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}
