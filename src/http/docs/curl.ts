// The examples of one route as lines of curl that can be pasted into a shell. The gateway and the key are variables, so
// that no line holds a secret.

import type { DescribedOperation, MediaContent } from '../openapi/description.ts';

export interface CurlLine {
  readonly name: string;
  readonly line: string;
}

// A route that takes nothing has one as well.
const PLAIN = 'as it is';
const LINE_CHARS_MAX = 60;

export function curlLines(verb: string, path: string, operation: DescribedOperation): CurlLine[] {
  const names = new Set<string>();
  for (const { examples } of operation.parameters) collect(names, examples);
  const contents = Object.values(operation.requestBody?.content ?? {});
  for (const { examples } of contents) collect(names, examples);
  const all = names.size === 0 ? [PLAIN] : [...names];
  return all.map((name) => ({ name, line: lineOf(verb, path, operation, name) }));
}

function collect(names: Set<string>, examples: MediaContent['examples']): void {
  for (const name of Object.keys(examples ?? {})) names.add(name);
}

function lineOf(verb: string, path: string, operation: DescribedOperation, name: string): string {
  const given = (where: string): [string, string][] =>
    operation.parameters.flatMap((parameter) => {
      const value = parameter.examples?.[name]?.value;
      const isHere = parameter.in === where && value !== undefined;
      return isHere ? [[parameter.name, String(value)]] : [];
    });
  const params = new Map(given('path'));
  const filled = path.replace(/\{(\w+)\}/g, (_, each) =>
    encodeURIComponent(params.get(each) ?? `{${each}}`),
  );
  const query = new URLSearchParams(given('query')).toString();
  const body = bodyOf(operation, name);
  const parts = [
    `curl "$SLUICE_URL${filled}${query === '' ? '' : `?${query}`}"`,
    ...(impliedBy(body) === verb ? [] : [`-X ${verb}`]),
    ...(operation.security?.length === 0 ? [] : ['-H "authorization: Bearer $SLUICE_KEY"']),
    ...given('header').map(
      ([header, value]) => `-H ${quoted(`${header.toLowerCase()}: ${value}`)}`,
    ),
    ...(body === null ? [] : [`-H ${quoted(`content-type: ${body.type}`)}`]),
    ...(body === null ? [] : [`--data-binary ${quoted(body.text)}`]),
  ];
  return parts.join(' \\\n  ');
}

function impliedBy(body: object | null): string {
  return body === null ? 'GET' : 'POST';
}

function bodyOf(
  operation: DescribedOperation,
  name: string,
): { type: string; text: string } | null {
  for (const [type, { examples }] of Object.entries(operation.requestBody?.content ?? {})) {
    const value = examples?.[name]?.value;
    if (value === undefined) continue;
    return { type, text: typeof value === 'string' ? value : jsonOf(value) };
  }
  return null;
}

// A long one is laid out: it is read before it is sent.
function jsonOf(value: unknown): string {
  const short = JSON.stringify(value);
  return short.length <= LINE_CHARS_MAX ? short : JSON.stringify(value, null, 2);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
