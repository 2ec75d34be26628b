// A call that goes out as its caller wrote it, or not at all: where the platform refuses it, the caller is told, and
// nothing is left out of it to make it pass. Its body says so in a reserved member, which stands last, so that it is
// found and taken away without reading the rest.

const MEMBER = '"sluice:exact":true';
const BEHIND_OTHERS = `,${MEMBER}}`;
const ALONE = `{${MEMBER}}`;

export function asExact(body: string): string {
  return body === '{}' ? ALONE : `${body.slice(0, -1)}${BEHIND_OTHERS}`;
}

// In any place: who writes a body anew may put its members in another order. In a text of the caller's the quotation
// marks would be escaped.
export function isExact(body: string): boolean {
  return body.endsWith(BEHIND_OTHERS) || body.includes(MEMBER);
}

// As the platform gets it.
export function withoutExact(body: string): string {
  if (body.endsWith(BEHIND_OTHERS)) return `${body.slice(0, -BEHIND_OTHERS.length)}}`;
  if (!body.includes(MEMBER)) return body;
  const { 'sluice:exact': _exact, ...params } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(params);
}
