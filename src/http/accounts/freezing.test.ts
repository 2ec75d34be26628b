import { expect, test } from 'vitest';
import { ACCOUNT } from '../../road/road.fixture.ts';
import { AUTH, bench, START } from '../context.fixture.ts';

async function hands() {
  const at = await bench();
  const post = async (deed: 'freeze' | 'thaw', payload: object) => {
    const url = `/v1/limits/${deed}`;
    const answer = await at.app.inject({ method: 'POST', url, headers: AUTH, payload });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { at, post };
}

const inSeconds = (seconds: number) => new Date(START + seconds * 1000).toISOString();

test('a freeze answers until when it holds: a longer one stays', async () => {
  const { post } = await hands();
  const freeze = (seconds: number) =>
    post('freeze', { account: ACCOUNT, chat: 42, seconds, reason: 'maintenance' });
  const frozen = (seconds: number) => ({
    status: 200,
    body: { account: ACCOUNT, chat: '42', until: inSeconds(seconds) },
  });
  expect(await freeze(600)).toEqual(frozen(600));
  expect(await freeze(60)).toEqual(frozen(600));
  expect(await freeze(900)).toEqual(frozen(900));
});

test('a thaw answers how many freezes have ended', async () => {
  const { at, post } = await hands();
  await post('freeze', { account: ACCOUNT, seconds: 60 });
  expect(at.road.frozen).toEqual([{ chat: null, until: START + 60_000, cause: 'by hand' }]);
  for (const thawed of [1, 0]) {
    const { body } = await post('thaw', { account: ACCOUNT });
    expect(body).toEqual({ account: ACCOUNT, chat: null, thawed });
  }
});

test('limits asked for afterwards show the change, however short a time ago they were looked at', async () => {
  const { at, post } = await hands();
  let looked = 0;
  const { limits } = at.road;
  at.road.limits = (account) => {
    looked += 1;
    return limits.call(at.road, account);
  };
  const look = () => at.app.inject({ url: '/v1/limits', headers: AUTH });
  await look();
  await look();
  expect(looked).toBe(1);
  for (const [deed, more] of [['freeze', { seconds: 60 }] as const, ['thaw', {}] as const]) {
    looked = 0;
    await post(deed, { account: ACCOUNT, ...more });
    await look();
    expect(looked).toBe(1);
  }
});

test('an account that is not known is refused, and so is a time that is none', async () => {
  const { post } = await hands();
  expect((await post('freeze', { account: 'telegram:404', seconds: 60 })).status).toBe(404);
  expect((await post('thaw', { account: 'telegram:404' })).status).toBe(404);
  for (const seconds of [0, -1, 1e12]) {
    expect((await post('freeze', { account: ACCOUNT, seconds })).status).toBe(422);
  }
});
