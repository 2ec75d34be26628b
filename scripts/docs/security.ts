// The table of docs/security.md that says who may use which route, from the routes; the rest of the page is written by
// hand and stays.

import { readFileSync } from 'node:fs';
import type { Access } from '../../src/http/auth/access.ts';
import { PAGE_ROUTES } from '../../src/http/page.ts';
import { ROUTES } from '../../src/http/route-list.ts';
import { DIALECT_ROUTES } from './dialects.ts';
import { table } from './table.ts';

const PAGE = new URL('../../docs/security.md', import.meta.url);
const BEGIN = '<!-- routes: made by `npm run docs` -->\n\n';
const END = '\n\n<!-- end of routes -->';

export function securityPage(): string {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END);
  if (begin < BEGIN.length || end < begin)
    throw new Error('docs/security.md has no table of routes');
  const rows = [...ROUTES, ...PAGE_ROUTES, ...DIALECT_ROUTES].map(({ method, url, access }) =>
    rowOf(`${[method].flat()[0]} ${url}`, access),
  );
  const made = table(['route', 'role', 'with bounds', 'noted'], rows);
  return `${page.slice(0, begin)}${made}${page.slice(end)}`;
}

function rowOf(route: string, { role, reach, audit }: Access): string[] {
  return [`\`${route}\``, role, reach, audit === undefined ? '' : 'yes'];
}
