// Every way around the page and every deed on it, in a real browser before a real gateway: each test looks at what the
// gateway then has, or what the page then shows. What the screens show is in page.test.ts.

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Stage } from './page/stage.ts';
import { waysAround, waysToFind } from './page/ways.ts';

const stage = new Stage();

beforeAll(() => stage.open(), 300_000);
afterAll(() => stage.close());

// No way and no deed leaves an error behind.
afterEach(() => {
  expect(stage.visitor.errors.splice(0)).toEqual([]);
});

waysAround(stage);
waysToFind(stage);
