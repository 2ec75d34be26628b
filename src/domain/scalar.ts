// Values of parameters that came as JSON, read as the text or number they should be. `String(value)` and
// `Number(value)` ask an object how it would like to be written, and one from outside may answer with an
// exception (`{"toString": 1}`).

// '': no text can be made of it.
export function scalarText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return '';
  }
}

// What an object from outside says under its names; nothing of what is none.
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : {};
}

// NaN: no number can be made of it.
export function scalarNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}
