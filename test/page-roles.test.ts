// The page as each role finds it, in a real browser before a real gateway: exactly which buttons are there, and for a
// sender and an operator what they see, and that what is offered to them is also done. What a viewer sees is in
// page.test.ts; the admin is who looks in all other tests.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Visitor } from './page/browser.ts';
import { partsOf } from './page/parts.ts';
import { BLOCKED, BOT, FROZEN } from './page/scene.ts';
import { Stage } from './page/stage.ts';

type Role = 'viewer' | 'sender' | 'operator';

const LETTER = ['Retry', 'Edit and retry', 'Discard'];
const MISCHIEF = ['Refuse for 60 s', 'Block the bot'];
const PLAYS = ['Play a stream', 'Play a flood', 'Play a penalty'];
const BOOK = Array.from({ length: 2000 }, (_, n) => String(10_000 + n));

const stage = new Stage();
let waiting = '';
let dead = '';
let stream = '';

// One of everything that something can be done to.
beforeAll(async () => {
  await stage.open();
  const { scene } = stage;
  const queue = await scene.get(`/v1/queue?chat=${FROZEN}`);
  waiting = (queue.items as { id: string }[])[0]!.id;
  await scene.trouble(BLOCKED, { state: 'blocked' });
  dead = String((await scene.send(BLOCKED, 'Invoice 1', { wait: true })).id);
  stream = String((await scene.openStream(FROZEN, 'Thinking')).id);
  const { id } = await scene.broadcast('Holidays', BOOK);
  await scene.post(`/v1/broadcasts/${id}/pause`, {});
}, 300_000);
afterAll(() => stage.close());

interface Offer {
  readonly path: string;
  readonly title: RegExp;
  // Something that is there when the screen is.
  readonly holds: string;
  readonly sender?: readonly string[];
  readonly operator?: readonly string[];
}

// Every screen, and every button on it that does something. A viewer has none.
const offers = (): Offer[] => [
  { path: '', title: /^Overview/, holds: 'is frozen', operator: ['Thaw now'] },
  { path: 'queue', title: /^Queue/, holds: 'is frozen' },
  { path: 'accounts', title: /^Accounts/, holds: BOT, operator: ['Pause', 'Freeze…', 'Limits…'] },
  // Each chat has its own; how many are known depends on the time.
  {
    path: `chats?find=${FROZEN}`,
    title: /^Chats/,
    holds: FROZEN,
    operator: ['Thaw now', 'Freeze…'],
  },
  {
    path: 'streams',
    title: /^Streams/,
    holds: 'answer-to-ada',
    sender: ['Cancel'],
    operator: ['Cancel'],
  },
  {
    path: 'broadcasts',
    title: /^Broadcasts/,
    holds: 'Holidays',
    operator: ['Resume', 'Cancel'],
  },
  {
    path: 'dead',
    title: /^Dead letters/,
    holds: dead,
    operator: ['Retry it', 'Retry all', 'Discard all'],
  },
  { path: `messages?chat=${FROZEN}`, title: /^Messages/, holds: waiting },
  {
    path: 'ingest',
    title: /^Ingest/,
    holds: 'No channel is followed yet',
    operator: ['Follow a channel'],
  },
  {
    path: `sandbox?account=${BOT}&chat=42`,
    title: /^Sandbox/,
    holds: 'Chat 42 with',
    sender: ['Send'],
    operator: [...PLAYS, ...MISCHIEF, 'Send'],
  },
  {
    path: `delivery/${waiting}`,
    title: /^Delivery/,
    holds: 'Accepted, on disk',
    operator: ['Cancel it'],
  },
  { path: `delivery/${dead}`, title: /^Delivery/, holds: 'Try 1', operator: LETTER },
];

async function enter(role: Role) {
  const name = `${role}-of-the-day`;
  const { secret } = await stage.scene.post('/v1/keys', { name, role });
  const visitor = await Visitor.come(stage.browser, stage.gateway.url);
  await visitor.signIn(String(secret));
  return { visitor, parts: partsOf(() => visitor.page) };
}

// Neither more nor less is offered than should be.
async function lookAround({ visitor, parts }: Awaited<ReturnType<typeof enter>>, role: Role) {
  for (const { path, title, holds, ...offered } of offers()) {
    await visitor.see(path);
    await parts.title(title);
    await visitor.page.locator('main').getByText(holds).first().waitFor();
    await visitor.settled();
    const deeds = visitor.page
      .locator('main button:not([aria-pressed]):not([data-row])')
      .filter({ hasNotText: 'Show more' });
    const wanted = role === 'viewer' ? [] : (offered[role] ?? []);
    expect.soft(await deeds.allTextContents(), `${role} ${path}`).toEqual(wanted);
  }
}

describe('a viewer', () => {
  test('is offered nothing, anywhere', async () => {
    const guest = await enter('viewer');
    await lookAround(guest, 'viewer');
    expect(guest.visitor.errors).toEqual([]);
    await guest.visitor.leave();
  });
});

describe('a sender', () => {
  test('reads what messages say, and steers texts that grow and the simulator’s people, no more', async () => {
    const guest = await enter('sender');
    const { visitor, parts } = guest;
    await lookAround(guest, 'sender');
    await visitor.see(`delivery/${waiting}`);
    await parts.panel('Content').getByText('has left the warehouse').waitFor();
    await visitor.see('dead?text=Invoice');
    await parts.rows(parts.panel('Letters')).getByRole('link', { name: 'Invoice 1' }).waitFor();
    expect(await visitor.page.getByRole('checkbox').count()).toBe(0);
    await visitor.see('messages');
    await parts.field('Text').fill('your order 2');
    await parts.rows(parts.panel('Deliveries')).getByText('Your order 2').waitFor();
    await visitor.see(`sandbox?account=${BOT}&chat=42`);
    await parts.field('Write as the person in this chat').fill('Is anyone there?');
    await parts.button('Send').click();
    await visitor.page.locator('.bubble', { hasText: 'Is anyone there?' }).waitFor();
    await visitor.see('streams');
    await parts.button('Cancel answer-to-ada').click();
    await parts.answer('Cancel it');
    await parts.toast('The text of answer-to-ada is cancelled.');
    expect((await stage.scene.get(`/v1/streams/${stream}`)).state).toBe('cancelled');
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
    // For who comes next.
    await stage.scene.openStream(FROZEN, 'Thinking again');
  });
});

describe('an operator', () => {
  const NAME = 'operator-of-the-day';
  const DEEDS = ['POST /v1/dead/discard', 'DELETE /v1/messages/:id', 'POST /v1/limits/freeze'];

  test('is offered every deed, and each is noted as theirs', async () => {
    const guest = await enter('operator');
    const { visitor, parts } = guest;
    await lookAround(guest, 'operator');
    await visitor.page.getByTitle(`Signed in as ${NAME} (operator)`).waitFor();
    await visitor.see(`delivery/${dead}`);
    await parts.button('Discard').click();
    await parts.answer('Give it up');
    await parts.panel('History').getByText(`discarded, by ${NAME}`).waitFor();
    await visitor.see(`delivery/${waiting}`);
    await parts.button('Cancel it').click();
    await parts.answer('Cancel it');
    await parts.panel('History').getByText(`cancelled, by ${NAME}`).waitFor();
    await visitor.see(`chats?find=${FROZEN}`);
    await parts.button(`Freeze… chat ${FROZEN}`).click();
    await parts.answer('Freeze');
    await parts.toast(`chat ${FROZEN} is frozen until`);
    await stage.scene.until('/v1/audit', ({ entries }) => {
      const theirs = (entries as { by: string; action: string }[]).filter(({ by }) => by === NAME);
      const actions = theirs.map(({ action }) => action);
      return DEEDS.every((deed) => actions.includes(deed));
    });
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
  });
});
