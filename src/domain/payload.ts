// What a payload is like, without what it says: enough to tell at night which call failed, and nothing to keep secret.

const NAMES_MAX = 12;
const NAME_CHARS_MAX = 32;

// `body` is JSON text of a call's parameters.
export function summaryOf(body: string): string {
  const params = parsed(body);
  const fields = typeof params === 'object' && params !== null ? Object.entries(params) : [];
  const shown = fields.slice(0, NAMES_MAX).map(([name, value]) => {
    const called = name.slice(0, NAME_CHARS_MAX);
    return typeof value === 'string' ? `${called} (${value.length} characters)` : called;
  });
  const more = fields.length > NAMES_MAX ? [`${fields.length - NAMES_MAX} more`] : [];
  return `${body.length} characters: ${[...shown, ...more].join(', ')}`;
}

// Whatever stands in a store: what cannot be read has no fields.
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
