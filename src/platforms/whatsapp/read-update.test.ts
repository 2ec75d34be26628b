import { describe, expect, test } from 'vitest';
import { marked, unmarked } from './callback-data.ts';
import { partsOf, readUpdate } from './read-update.ts';
import { UPDATES } from './updates.ts';

const NUMBER = '1065';
const at = '1900000000';

function post(content: object, number = NUMBER) {
  const metadata = { display_phone_number: '1', phone_number_id: number };
  const value = { messaging_product: 'whatsapp', metadata, ...content };
  const changes = [{ value, field: 'messages' }];
  return { object: 'whatsapp_business_account', entry: [{ id: 'W', changes }] };
}

const message = (from: string, id: string, more: object = {}) => ({
  ...{ from, id, timestamp: at, type: 'text', text: { body: 'hi' } },
  ...more,
});
const status = (name: string, more: object = {}) => ({
  ...{ id: 'wamid.OUT', status: name, timestamp: at, recipient_id: '1650' },
  ...more,
});

describe('a post', () => {
  test('is cut into one update for each thing it tells', () => {
    const contacts = [{ wa_id: '1', profile: { name: 'Ada' } }, { wa_id: '2' }];
    const messages = [message('1', 'wamid.A'), message('2', 'wamid.B')];
    const parts = partsOf(post({ contacts, messages, statuses: [status('read')] }));
    expect(parts.map(({ id }) => id)).toEqual([NUMBER, NUMBER, NUMBER]);
    const read = parts.map(({ update }) => readUpdate(update));
    expect(read).toMatchObject([
      {
        chat: '1',
        messageId: 'wamid.A',
        voice: 'wrote',
        saidAt: 1_900_000_000_000,
        chatName: 'Ada',
      },
      { chat: '2', messageId: 'wamid.B', voice: 'wrote' },
      { chat: '1650', messageId: null, voice: 'none' },
    ]);
    expect(read[1]).not.toHaveProperty('chatName');
    expect(new Set(read.map((each) => each!.id)).size).toBe(3);
    expect(parts[0]!.update).toEqual(
      post({ contacts: contacts.slice(0, 1), messages: [messages[0]] }),
    );
  });

  test('that comes again, packed otherwise, has the same ids and the same order', () => {
    const [one, other] = [message('1', 'wamid.A'), message('2', 'wamid.B')];
    const together = partsOf(post({ messages: [one, other] })).map((each) =>
      readUpdate(each.update),
    );
    const alone = partsOf(post({ messages: [other] })).map((each) => readUpdate(each.update));
    expect(alone[0]!.id).toBe(together[1]!.id);
    expect(alone[0]!.order).toBe(together[1]!.order);
    expect(Number.isSafeInteger(alone[0]!.order)).toBe(true);
  });

  test('of other things is one update, and of others nothing', () => {
    const alert = { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'x' }] }] };
    expect(partsOf(alert)).toHaveLength(1);
    expect(readUpdate(alert)).toMatchObject({ chat: null, voice: 'none' });
    for (const strange of [null, 5, {}, { object: 'page', entry: [] }, { entry: [null] }]) {
      expect(partsOf(strange)).toEqual([]);
      expect(readUpdate(strange)).toBeNull();
    }
  });

  test('of a user who shows no phone number is known by its id', () => {
    const [user, other] = ['US.134', 'US.135'];
    const contacts = [{ user_id: other }, { user_id: user, profile: { username: 'x' } }];
    const said = { id: 'wamid.A', timestamp: at, type: 'text', from_user_id: user };
    const [part] = partsOf(post({ contacts, messages: [said] }));
    expect(readUpdate(part!.update)).toMatchObject({ chat: user, voice: 'wrote' });
    expect(part!.update).toEqual(post({ contacts: [contacts[1]], messages: [said] }));
    const told = { id: 'wamid.OUT', status: 'read', timestamp: at, recipient_user_id: user };
    const [about] = partsOf(post({ statuses: [told] }));
    expect(readUpdate(about!.update)).toMatchObject({ chat: user, voice: 'none' });
    expect(JSON.parse(about!.receipts[0]!.result!)).toMatchObject({
      contacts: [{ input: user, user_id: user }],
    });
  });

  test('a press or a reply means the business', () => {
    const press = readUpdate(post({ messages: [message('1', 'A', { type: 'interactive' })] }));
    const reply = readUpdate(
      post({ messages: [message('1', 'B', { context: { id: 'wamid.X' } })] }),
    );
    expect([press!.voice, reply!.voice]).toEqual(['addressed', 'addressed']);
  });
});

describe('statuses', () => {
  const receiptOf = (each: object) => partsOf(post({ statuses: [each] }))[0]!.receipts[0];

  test('name their delivery, and what failed its reason', () => {
    const data = marked('mine', 'abcde-1z');
    expect(receiptOf(status('delivered', { biz_opaque_callback_data: data }))).toMatchObject({
      ...{ delivery: 'abcde-1z', messageId: 'wamid.OUT', status: 'delivered', reason: null },
    });
    const errors = [{ code: 131047, title: 'Re-engagement message' }];
    expect(receiptOf(status('failed', { errors }))).toMatchObject({
      ...{ delivery: null, status: 'failed', reason: 'template_needed' },
      detail: 'Re-engagement message',
    });
    expect(receiptOf(status('failed'))).toMatchObject({ reason: 'bad_request' });
    expect(receiptOf(status('played'))).toMatchObject({ status: 'read' });
    expect(receiptOf(status('deleted'))).toBeUndefined();
  });

  test('go on to the app with its own words only', () => {
    const own = { biz_opaque_callback_data: marked('mine', 'abcde-1z') };
    const ours = { biz_opaque_callback_data: marked(undefined, 'abcde-1z') };
    const [first] = partsOf(post({ statuses: [status('sent', own)] }));
    const [second] = partsOf(post({ statuses: [status('sent', ours)] }));
    expect(JSON.stringify(first!.update)).toContain('"biz_opaque_callback_data":"mine"');
    expect(JSON.stringify([first!.update, second!.update])).not.toContain('sluice');
  });
});

test('callback data is marked within the platform’s bound, and read back', () => {
  expect(unmarked(marked('a b', 'abcde-1'))).toEqual({ delivery: 'abcde-1', own: 'a b' });
  expect(unmarked(marked(undefined, 'abcde-1'))).toEqual({ delivery: 'abcde-1', own: null });
  const long = 'x'.repeat(510);
  expect(marked(long, 'abcde-1')).toBe(long);
  const forged = `sluice:abcde-2 ${'x'.repeat(495)}`;
  expect(unmarked(marked(forged, 'abcde-1'))).toEqual({ delivery: 'abcde-1', own: null });
  expect(unmarked('of another')).toEqual({ delivery: null, own: 'of another' });
});

test('a webhook is verified by a token that is not the secret', () => {
  const { challenge } = UPDATES;
  const token = challenge!.tokenOf('secret');
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': token };
  expect(challenge!.answer(query, 'secret')).toBe('42');
  expect(challenge!.answer(query, 'another')).toBeNull();
  expect(challenge!.answer({ ...query, 'hub.mode': 'x' }, 'secret')).toBeNull();
  expect(challenge!.answer({}, 'secret')).toBeNull();
});
