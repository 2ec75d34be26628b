import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../system/virtual-clock.ts';
import { platformContract } from '../platform.contract.ts';
import { SCREEN_BOUNDS } from './screens.ts';
import { createTerminal, Screens } from './terminal.ts';

const SECRET = 'AAverysecretAAverysecret';

platformContract('terminal', async () => {
  const bounds = { ...SCREEN_BOUNDS };
  const platform = createTerminal(new Screens(virtualClock(1e12), bounds));
  const params = { chat: 'build', thread: '5', text: 'hello' };
  return {
    platform,
    credential: 'local',
    secret: SECRET,
    accountId: 'local',
    message: { method: 'sendMessage', params, chat: 'build', thread: '5' },
    edit: { method: 'editMessageText', params: { chat: 'build', message_id: 2, text: 'new' } },
    read: null,
    pending: { method: 'editMessageText', params: { chat: 'build', message_id: -5, text: 'x' } },
    retryAfterMs: 0,
    next: (weather) => {
      if (weather === 'refused') bounds.unitsMax = 'hello'.length - 1;
    },
  };
}, ['fine', 'refused']);

function setUp() {
  const clock = virtualClock(1e12);
  const screens = new Screens(clock);
  const platform = createTerminal(screens);
  const call = async (method: string, params: object) => {
    const body = JSON.stringify({ chat: 'build', ...params });
    const reply = await platform.wire.send({ credential: 'local', method, body, deadlineMs: 1000 });
    return platform.wire.classify(method, reply);
  };
  const shown = () => screens.watch('local', 'build', () => {}).shown.map(({ text }) => text);
  return { clock, screens, platform, call, shown };
}

describe('calls', () => {
  test('are written, changed and taken back', async () => {
    const { call, shown } = setUp();
    const sent = await call('sendMessage', { text: 'one' });
    expect(sent).toMatchObject({ kind: 'sent', messageId: String(1e12) });
    await call('sendMessage', { text: 'two' });
    await call('editMessageText', { message_id: 1e12, text: 'ONE' });
    expect(shown()).toEqual(['ONE', 'two']);
    await call('deleteMessage', { message_id: 1e12 + 1 });
    expect(shown()).toEqual(['ONE']);
    expect(await call('deleteMessage', { message_id: 5 })).toMatchObject({ kind: 'sent' });
    expect(await call('sendChatAction', {})).toMatchObject({ kind: 'sent', messageId: null });
  });

  test('an edit of what never was is refused', async () => {
    const { call } = setUp();
    const edited = await call('editMessageText', { message_id: 2e12, text: 'x' });
    expect(edited).toMatchObject({ kind: 'refused', reason: 'message_not_found' });
  });

  test('a message without text is refused', async () => {
    const { call, shown } = setUp();
    for (const text of ['', ' \n', 5, undefined]) {
      expect(await call('sendMessage', { text })).toMatchObject({ reason: 'message_empty' });
      const edit = await call('editMessageText', { message_id: 1, text });
      expect(edit).toMatchObject({ reason: 'message_empty' });
    }
    expect(shown()).toEqual([]);
  });

  test('a message that is not sent yet is called by its provisional id', () => {
    const { platform } = setUp();
    const params = { chat: 'a', message_id: -5, text: 'x' };
    expect(platform.calls.describe('editMessageText', params)).toMatchObject({ kind: 'call' });
    const body = JSON.stringify(params);
    expect(platform.references!.mentions(body)).toEqual([5]);
    expect(JSON.parse(platform.references!.named(body, new Map([[5, '105']])))).toEqual({
      ...params,
      message_id: '105',
    });
    expect(platform.references!.mentions(JSON.stringify({ ...params, message_id: 5 }))).toEqual([]);
  });

  test('what cannot be routed is refused at the wall', () => {
    const { platform } = setUp();
    const wrong: [string, object][] = [
      ['sendPhoto', { chat: 'a', photo: 'x' }],
      ['getMe', {}],
      ['sendMessage', { chat: '', text: 'x' }],
      ['editMessageText', { chat: 'a', text: 'x' }],
      ['deleteMessage', { chat: 'a', message_id: '1.5' }],
    ];
    for (const [method, params] of wrong) {
      expect(platform.calls.describe(method, { ...params }), method).toMatchObject({
        kind: 'invalid',
      });
    }
    expect(platform.calls.describe('sendphoto', {})).toMatchObject({
      detail: expect.stringContaining('sendMessage, editMessageText'),
    });
  });
});
