import { expect, test } from 'vitest';
import { AUTH, bench, TOKEN } from './context.fixture.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

async function post(url: string, payload: string) {
  const at = await bench();
  const headers = { ...AUTH, 'content-type': 'application/json' };
  const answer = await at.app.inject({ method: 'POST', url, headers, payload });
  await at.app.close();
  expect(at.road.submitted).toEqual([]);
  return answer;
}

test('a body that nests too deep is refused on REST routes with its code', async () => {
  const answer = await post('/v1/messages', `{"body":{"text":${nested(2500)}}}`);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    code: 'json_bounds',
    detail: 'The body is JSON nested more than 64 levels deep.',
  });
});

test('and by the drop-in in the words of the platform', async () => {
  const answer = await post(`/bot${TOKEN}/sendMessage`, `{"chat_id":1,"text":${nested(2500)}}`);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ ok: false, error_code: 400 });
  expect(answer.json().description).toMatch(/^Bad Request: .*64 levels/);
});
