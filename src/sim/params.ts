// A call's parameters as they came: JSON values, or strings from a query or form, where numbers are digits
// and objects are JSON text. These readers make them one thing.

export type SimParams = Readonly<Record<string, unknown>>;

// Of a name that comes twice the first counts.
export function firstOf(given: URLSearchParams): SimParams {
  const params: Record<string, unknown> = {};
  for (const [name, value] of given) if (!(name in params)) params[name] = value;
  return params;
}

export function textOf(params: SimParams, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function intOf(params: SimParams, name: string): number | null {
  const value = params[name];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : null;
}

export function flagOf(params: SimParams, name: string): boolean {
  const value = params[name];
  return value === true || (typeof value === 'string' && /^(true|1|yes|t|y)$/i.test(value));
}

export function jsonOf(params: SimParams, name: string): unknown {
  const value = params[name];
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

export function listOf(params: SimParams, name: string): readonly unknown[] {
  const value = jsonOf(params, name);
  return Array.isArray(value) ? value : [];
}

export function objectOf(params: SimParams, name: string): SimParams {
  return asObject(jsonOf(params, name));
}

export function asObject(value: unknown): SimParams {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as SimParams)
    : {};
}
