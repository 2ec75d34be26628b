import { describe, expect, test } from 'vitest';
import { address, describe as described, isIdempotent, targets } from './describe.ts';
import { createReading } from './request.ts';

const PRODUCT = { messaging_product: 'whatsapp' };

describe('a body of /messages', () => {
  test.each([
    [{ to: '+1 (650) 555-1234', type: 'text' }, 'messages', 'send', '16505551234', 'broadcast'],
    [{ to: '1650', context: { message_id: 'wamid.A' } }, 'messages', 'send', '1650', 'reply'],
    [{ to: 1650, type: 'template', template: {} }, 'messages', 'send', '1650', 'broadcast'],
    [{ to: 'Y2FwaV9ncm91cA==', type: 'text' }, 'messages', 'send', 'Y2FwaV9ncm91cA==', 'broadcast'],
    [{ recipient: 'US.134', type: 'text' }, 'messages', 'send', 'US.134', 'broadcast'],
    [{ to: '1650', recipient: 'US.134' }, 'messages', 'send', '1650', 'broadcast'],
    [
      { to: '1650', type: 'reaction', reaction: { message_id: 'A' } },
      'reaction',
      'reaction',
      '1650',
      'broadcast',
    ],
    [{ status: 'read', message_id: 'wamid.A' }, 'read', 'free', 'read:wamid.A', 'open'],
    [
      { status: 'read', message_id: 'A', typing_indicator: {} },
      'typing',
      'typing',
      'read:A',
      'open',
    ],
  ])('%j', (body, method, family, chat, budget) => {
    const call = described('messages', { ...PRODUCT, ...body });
    expect(call).toMatchObject({ kind: 'call', method, family, chat, budget, thread: null });
    expect(isIdempotent(method)).toBe(method !== 'messages');
  });

  test.each([[{}], [{ to: '' }], [{ to: {} }], [{ to: 'a b' }], [{ status: 'read' }]])(
    '%j goes nowhere',
    (body) => {
      expect(described('messages', { ...PRODUCT, ...body }).kind).toBe('invalid');
    },
  );

  test('a key with bounds is told whom it goes to, or that nobody can tell', () => {
    expect(targets('messages', { to: '+1650' })).toEqual({ kind: 'chats', chats: ['1650'] });
    expect(targets('messages', { recipient: 'US.134' })).toEqual({
      ...{ kind: 'chats', chats: ['US.134'] },
    });
    expect(targets('messages', { to: '1650', recipient: 'US.134' })).toEqual({
      ...{ kind: 'chats', chats: ['1650', 'US.134'] },
    });
    expect(targets('messages', { status: 'read' }).kind).toBe('account');
    expect(targets('GET /v23.0/1/message_templates', {}).kind).toBe('account');
    expect(targets('something', { to: '1650' }).kind).toBe('unknown');
  });
});

test.each([
  ['16505551234', { recipient_type: 'individual', to: '16505551234' }],
  [
    'US.13491208655302741918',
    { recipient_type: 'individual', recipient: 'US.13491208655302741918' },
  ],
  ['DE.ENT.1181', { recipient_type: 'individual', recipient: 'DE.ENT.1181' }],
  ['Y2FwaV9ncm91cA==', { recipient_type: 'group', to: 'Y2FwaV9ncm91cA==' }],
])('a message to %s names it in its own parameter, and nobody else', (chat, named) => {
  const given = { to: '1', recipient: 'US.1', type: 'text' };
  expect(address(given, { chat })).toEqual({ ...PRODUCT, type: 'text', ...named });
});

describe('a path of the Graph API', () => {
  const reading = createReading();
  const headers = { authorization: 'Bearer EAAtoken' };
  const locate = (verb: string, url: string, given = headers) =>
    reading.locate({ verb, url, headers: given });

  test('is a message, or passed under its verb and path', () => {
    expect(locate('POST', '/v21.0/106/messages')).toMatchObject({
      ...{ kind: 'call', credential: '106:EAAtoken', method: 'messages' },
    });
    expect(locate('GET', '/v21.0/555?phone_number_id=107')).toMatchObject({
      ...{ credential: '107:EAAtoken', method: 'GET /v21.0/555' },
    });
    expect(locate('GET', '/v21.0/106/whatsapp_business_profile?fields=about')).toMatchObject({
      ...{ credential: '106:EAAtoken', method: 'GET /v21.0/106/whatsapp_business_profile' },
    });
  });

  test.each(['/messages/', '/Messages', '/MESSAGES/?fields=id'])(
    'is a message also as %s',
    (edge) => {
      expect(locate('POST', `/v21.0/106${edge}`)).toMatchObject({
        ...{ kind: 'call', credential: '106:EAAtoken', method: 'messages' },
      });
      expect(reading.located('106:EAAtoken', `POST /v21.0/106${edge.split('?')[0]}`)).toBeNull();
    },
  );

  test.each(['//106/messages', '/106//messages', '/106/messages//', '/106/%6Dessages'])(
    'is nothing as %s',
    (path) => expect(locate('POST', `/v21.0${path}`)).toBeNull(),
  );

  test('a read that asks for the verb of a message is refused', () => {
    const read = 'GET /v21.0/106/Messages';
    expect(described(read, {}).kind).toBe('pass');
    expect(described(read, { method: 'post', to: '1', type: 'text' }).kind).toBe('invalid');
    expect(described('GET /v21.0/106/media', { method: 'post' }).kind).toBe('pass');
  });

  test('takes the token of the query where the header has none', () => {
    const url = '/v21.0/106/messages?access_token=EAAquery';
    expect(locate('POST', url, {} as never)).toMatchObject({ credential: '106:EAAquery' });
    expect(locate('POST', url)).toMatchObject({ credential: '106:EAAtoken' });
    expect(locate('GET', '/v21.0/106/media', {} as never)).toMatchObject({ credential: '106:' });
  });

  test('without a number is that of the token, of the last one it wrote with, or refused', () => {
    const own = { authorization: 'Bearer 300:EAAother' };
    expect(locate('GET', '/v21.0/555', own)).toMatchObject({ credential: '300:EAAother' });
    expect(locate('GET', '/v21.0/555', { authorization: 'Bearer EAAnew' })?.kind).toBe('refused');
    locate('POST', '/v21.0/106/messages', { authorization: 'Bearer EAAnew' });
    expect(locate('GET', '/v21.0/555', { authorization: 'Bearer EAAnew' })).toMatchObject({
      credential: '106:EAAnew',
    });
  });

  test.each([
    '/v21.0',
    '/v21.0/',
    '/v21.0/106/../../secret',
    '/v21.0/106/a%2fb',
    '/v1/messages',
    '/v21.0/106/a b',
    '/v21.1/106/messages',
  ])('%s is none', (url) => {
    expect(locate('POST', url)).toBeNull();
  });
});
