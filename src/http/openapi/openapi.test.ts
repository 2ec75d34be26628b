import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { RouteOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { bench, ingestDesk } from '../context.fixture.ts';
import { ROUTES } from '../route-list.ts';
import { openApi } from './openapi.ts';

const DROP_IN_ID = 'post_bot_token_method';

// Asked of the server itself, so that a new one cannot be forgotten. The platforms describe their own.
async function routesThere(): Promise<string[]> {
  const { app } = await bench({}, [], { ingest: ingestDesk() });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }: RouteOptions) => {
    if (/^\/(file\/)?bot/.test(url)) return;
    for (const each of [method].flat()) routes.push(`${each} ${url.replace(/:(\w+)/g, '{$1}')}`);
  });
  await app.ready();
  await app.close();
  return routes;
}

describe('the description', () => {
  const description = openApi(ROUTES);
  const operations = Object.entries(description.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ route: `${verb} ${path}`, operation })),
  );

  test('has every route there is, and no other', async () => {
    const described = operations
      .filter(({ operation }) => operation.operationId !== DROP_IN_ID)
      .map(({ route }) => route.replace(/^\w+/, (verb) => verb.toUpperCase()));
    expect(described).toHaveLength(operations.length - 1);
    const there = await routesThere();
    expect(there.length).toBeGreaterThan(50);
    expect(described.toSorted()).toEqual(there.toSorted());
  });

  test('names each operation once, and each refers to what is there', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const refs = new Set(matches(JSON.stringify(description), /"\$ref":"([^"]+)"/g));
    const known = Object.keys(description.components.schemas);
    expect(
      [...refs].map((ref) => ref.split('/').at(-1)).filter((ref) => !known.includes(ref!)),
    ).toEqual([]);
    for (const name of ['Message', 'Delivery', 'StreamState', 'BroadcastState', 'Key']) {
      expect([...refs]).toContain(`#/components/schemas/${name}`);
    }
  });

  test('has nothing that a linter minds', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const lint = async (whole: object) => {
      const found = await lintFromString({ source: JSON.stringify(whole), config });
      return found.map(({ ruleId, location }) => `${ruleId} at ${location[0]?.pointer}`);
    };
    expect(await lint(description)).toEqual([]);
    expect(await lint({ ...description, servers: [] })).toEqual(['no-empty-servers at #/servers']);
  });

  test('has the headers that the drop-in reads and answers', () => {
    const { parameters, responses } = operations.find(
      ({ operation }) => operation.operationId === DROP_IN_ID,
    )!.operation;
    const folder = new URL('../dialects/', import.meta.url);
    const code = (file: string) => readFileSync(new URL(file, folder), 'utf8');
    const asked = matches(code('caller.ts'), /'((?:x-|idempotency-)[a-z-]+)'|headers\.(\w+)/g);
    const told = matches(code('answers.ts') + code('deliver.ts'), /'(x-[a-z-]+)':/g);
    const described = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
    const names = (all: string[]) => [...new Set(all.map((name) => name.toLowerCase()))].sort();
    expect(names(described)).toEqual(names(asked));
    expect(names(Object.keys(responses['200']!.headers!))).toEqual(names(told));
  });

  test('says which parameters of a query must be there', () => {
    const required = operations.flatMap(({ route, operation }) =>
      operation.parameters
        .filter(({ in: where, required: must }) => where === 'query' && must === true)
        .map(({ name }) => `${route} ${name}`),
    );
    expect(required).toEqual([
      ...['put /v1/streams account', 'put /v1/streams chat'],
      ...['get /v1/sandbox/messages account', 'get /v1/sandbox/messages chat'],
      'get /v1/names account',
    ]);
  });

  test('says of every answer what is in it', () => {
    const open = operations.flatMap(({ route, operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema }) =>
          Object.keys(schema).length === 0 ? [`${route} ${status}`] : [],
        ),
      ),
    );
    expect(open).toEqual([]);
  });
});

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[0]);
}
