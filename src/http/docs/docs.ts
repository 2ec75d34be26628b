// /docs: the description as a page for people, written here from the same document that programs get. Nothing comes
// from anywhere else, and nothing is needed but the page: without scripts only searching and copying are missing.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { ANYONE, LINKED } from '../auth/access.ts';
import { text } from '../openapi/common.ts';
import type { Description } from '../openapi/description.ts';
import { openApi } from '../openapi/openapi.ts';
import { group, type Route } from '../route.ts';
import { Html, html, prose } from './html.ts';
import { type DescribedRoute, showRoute } from './route.ts';
import { showSchema } from './schema.ts';

const STYLE = readFileSync(new URL('./docs.css', import.meta.url), 'utf8');
const SCRIPT = readFileSync(new URL('./docs.client.js', import.meta.url), 'utf8');

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(SCRIPT)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

// Both are the same for everyone, and made when the first one asks.
class Pages {
  readonly #routes: readonly Route[];
  #description: Description | null = null;
  #page: string | null = null;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
  }

  get description(): Description {
    this.#description ??= openApi(this.#routes);
    return this.#description;
  }

  get page(): string {
    this.#page ??= docsPage(this.description);
    return this.#page;
  }
}

const DESCRIPTION: Route<Pages> = {
  method: 'GET',
  url: '/openapi.json',
  access: ANYONE,
  tag: 'gateway',
  summary: 'This description, for programs',
  answers: { 200: Type.Object({ openapi: text }, { additionalProperties: true }) },
  examples: { 'all of it': { status: 200 } },
  handler: async (pages) => pages.description,
};

const PAGE: Route<Pages> = {
  method: 'GET',
  url: '/docs',
  access: LINKED,
  tag: 'gateway',
  summary: 'This description, for people',
  answers: { 200: text },
  answerType: 'text/html',
  examples: { 'all of it': { status: 200 } },
  handler: async (pages, _request, reply) =>
    reply.headers(HEADERS).type('text/html; charset=utf-8').send(pages.page),
};

export const DOCS_ROUTES = group<Pages>([DESCRIPTION, PAGE], ({ routes }) => new Pages(routes));

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export function docsPage(description: Description): string {
  const routes = routesOf(description);
  const chapters = description.tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sluice: the API</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<nav aria-label="Routes">
<p class="home"><a href="/">Sluice</a> <span>the API</span></p>
<p id="searching" hidden><input id="search" type="search" placeholder="Search ( / )" aria-label="Search"></p>
${chapters.map(({ name, routes: own }) => navOf(name, own))}
<h2><a href="#schemas">schemas</a></h2>
</nav>
<main>
<h1>${description.info.title}</h1>
<p>${description.info.description.split(' Refusals')[0]!}
The same for programs: <a href="/openapi.json">/openapi.json</a>.
Refusals are <code>application/problem+json</code> with a stable <code>code</code>.</p>
<p>The lines below use two variables. On the gateway’s machine, in its folder:</p>
<pre><code>export SLUICE_URL=<span id="origin">http://127.0.0.1:8080</span> SLUICE_KEY="$(cat data/admin-key)"</code></pre>
<p id="nothing" hidden>Nothing here holds this word.</p>
${chapters.map(({ name, description: said, routes: own }) => chapterOf(name, said, own))}
${schemasOf(description)}
</main>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.markup;
}

function routesOf({ paths }: Description): DescribedRoute[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({
      verb: verb.toUpperCase(),
      path,
      operation,
    })),
  );
}

function navOf(name: string, routes: readonly DescribedRoute[]): Html {
  const links = routes.map(
    ({ verb, path, operation: { operationId } }) =>
      html`<li><a href="#${operationId}"><b class="${verb}">${verb}</b> ${path}</a></li>`,
  );
  return html`<div class="chapter"><h2><a href="#${anchorOf(name)}">${name}</a></h2><ul>${links}</ul></div>`;
}

function anchorOf(name: string): string {
  return `chapter-${name.replaceAll(' ', '-')}`;
}

function chapterOf(name: string, description: string, routes: readonly DescribedRoute[]): Html {
  return html`<section class="chapter" id="${anchorOf(name)}"><h2>${name}</h2>
<p>${prose(description)}</p>${routes.map(showRoute)}</section>`;
}

function schemasOf({ components }: Description): Html {
  const all = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<article id="schema-${name}"><h3>${name}</h3>${showSchema(schema)}</article>`,
  );
  return html`<section class="chapter" id="schemas"><h2>schemas</h2>${all}</section>`;
}
