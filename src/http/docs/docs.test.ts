import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { type Bench, bench } from '../context.fixture.ts';
import { openApi } from '../openapi/openapi.ts';
import { ROUTES } from '../route-list.ts';
import { curlLines } from './curl.ts';
import { docsPage } from './docs.ts';
import { html, prose } from './html.ts';

let at: Bench | null = null;

afterEach(async () => {
  await at?.app.close();
  at = null;
});

async function page() {
  at = await bench();
  const answer = await at.app.inject('/docs');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  return answer;
}

describe('/docs', () => {
  test('has every route and every schema of the description', async () => {
    const { body } = await page();
    const { paths, components } = openApi(ROUTES);
    for (const [path, verbs] of Object.entries(paths)) {
      for (const [verb, { operationId }] of Object.entries(verbs)) {
        expect(body).toContain(`<article id="${operationId}">`);
        expect(body).toContain(`<b class="${verb.toUpperCase()}">`);
      }
      expect(body).toContain(`<code>${path}</code>`);
    }
    for (const name of Object.keys(components.schemas)) {
      expect(body).toContain(`<article id="schema-${name}">`);
    }
  });

  test('every link within it leads somewhere', async () => {
    const { body } = await page();
    const ids = new Set(matches(body, / id="([^"]+)"/g));
    expect(matches(body, /href="#([^"]+)"/g).filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(matches(body, / id="([^"]+)"/g)).size).toBe(matches(body, / id="/g).length);
  });

  test('allows only its own script and style, and asks for nothing else', async () => {
    const { body, headers } = await page();
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    for (const kind of ['script', 'style']) {
      const text = new RegExp(`<${kind}>([\\s\\S]*?)</${kind}>`).exec(body)![1]!;
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(body).not.toMatch(/ on[a-z]+="/);
    expect(body).not.toContain(' style="');
  });

  test('whatever a description says is text', () => {
    const hostile = '<script>alert(1)</script>';
    const description = openApi(ROUTES);
    const info = { ...description.info, title: hostile };
    expect(docsPage({ ...description, info })).not.toContain(hostile);
    expect(html`<p title="${'"><b>'}">${hostile}</p>`.markup).not.toContain('<script>');
    expect(prose('a `<b>` c').markup).toBe('a <code>&lt;b&gt;</code> c');
  });
});

describe('lines of curl', () => {
  const lineOf = (route: string, name: string) => {
    const [verb, path] = route.split(' ') as [string, string];
    const operation = openApi(ROUTES).paths[path]![verb.toLowerCase()]!;
    return curlLines(verb, path, operation).find((each) => each.name === name)!.line;
  };

  test('with a body, a query, a method, a header', () => {
    expect(lineOf('PATCH /v1/streams/{id}', 'a little more')).toBe(
      [
        'curl "$SLUICE_URL/v1/streams/s-mwifte3h-85f37"',
        '-X PATCH',
        '-H "authorization: Bearer $SLUICE_KEY"',
        "-H 'content-type: application/json'",
        `--data-binary '{"append":", please"}'`,
      ].join(' \\\n  '),
    );
    expect(lineOf('GET /v1/limits', 'what is frozen')).toContain('/v1/limits?frozen=true"');
    expect(lineOf('POST /webhook/{platform}/{account}', 'a person writes')).toContain(
      "-H 'x-telegram-bot-api-secret-token: the-secret-of-this-account'",
    );
    expect(lineOf('GET /openapi.json', 'as it is')).toBe('curl "$SLUICE_URL/openapi.json"');
  });
});

test('every line is whole', () => {
  for (const [path, verbs] of Object.entries(openApi(ROUTES).paths)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      for (const { line } of curlLines(verb.toUpperCase(), path, operation)) {
        // A parameter of the path without an example would still stand in its brackets.
        expect(line, `${verb} ${path}`).not.toContain('%7B');
        expect(line).not.toContain('undefined');
      }
    }
  }
});

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}
