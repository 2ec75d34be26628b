import { expect, test } from 'vitest';
import { ACCOUNT } from '../../road/road.fixture.ts';
import { AUTH, bench } from '../context.fixture.ts';

async function desk() {
  const at = await bench();
  const ask = async (method: 'GET' | 'PATCH', payload?: object, account = ACCOUNT) => {
    const url = `/v1/accounts/${account}/limits`;
    const answer = await at.app.inject({ method, url, headers: AUTH, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { at, ask };
}

test('a limit is set, shown as set by hand, and set back; each is noted with its value', async () => {
  const { at, ask } = await desk();
  const [usual] = (await ask('GET')).body.settings;
  expect(usual).toMatchObject({ name: 'group_mpm', value: 20, usual: 20, from: 'default' });
  const { status, body } = await ask('PATCH', { group_mpm: 10 });
  expect({ status, id: body.id }).toEqual({ status: 200, id: ACCOUNT });
  expect(body.settings).toMatchObject([{ value: 10, usual: 20, from: 'hand' }]);
  expect((await ask('PATCH', { group_mpm: null })).body.settings).toMatchObject([{ value: 20 }]);
  const noted = await at.guards.audit.page({ before: null, max: 2 });
  expect(noted.map(({ target, result }) => [target, result])).toEqual([
    [`${ACCOUNT} group_mpm=as settings say`, '200'],
    [`${ACCOUNT} group_mpm=10`, '200'],
  ]);
});

test('what is wrong is refused with its name and what would be right', async () => {
  const { ask } = await desk();
  const { status, body } = await ask('PATCH', { group_mpm: 9999 });
  expect([status, body.code]).toEqual([422, 'invalid_message']);
  expect(body.problems).toEqual([
    { path: '/group_mpm', expected: 'a whole number from 1 to 6000' },
  ]);
  expect((await ask('PATCH', { group_mpm: true })).status).toBe(422);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`limit_${n}`, 1]));
  expect((await ask('PATCH', many)).status).toBe(422);
  expect((await ask('GET')).body.settings).toMatchObject([{ value: 20 }]);
});

test('of an account that is not known there are none', async () => {
  const { ask } = await desk();
  expect((await ask('GET', undefined, 'telegram:404')).status).toBe(404);
  expect((await ask('PATCH', { group_mpm: 10 }, 'telegram:404')).status).toBe(404);
});
