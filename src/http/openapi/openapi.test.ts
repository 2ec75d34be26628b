import type { RouteOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { bench } from '../context.fixture.ts';
import { ROUTES } from '../routes.ts';
import { openApi } from './openapi.ts';

// Asked of the server itself, so that a new one cannot be forgotten. The platforms describe their own.
async function routesThere(): Promise<string[]> {
  const { app } = await bench();
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
    const described = operations.map(({ route }) =>
      route.replace(/^\w+/, (verb) => verb.toUpperCase()),
    );
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
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}
