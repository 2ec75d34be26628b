// What the road relies on of each part of the port that a platform has; what it has not is not asked for.

import { expect, test } from 'vitest';
import type { ContractCall, Open, PlatformFixture } from './contract.fixture.ts';
import type { LiveCall, LivePlace } from './platform.ts';

// What is markup to some platform, and none here.
const TEXT = '# a *text* of __few__ `words` & <b>: [more](x) @all\n1. https://a.org/x_y_z \\o/';
const SEQ = 5;

export function capabilities(open: Open): void {
  calls(open);
  credentials(open);
  tuningAndBroadcast(open);
  repairs(open);
  references(open);
  content(open);
  changes(open);
  live(open);
  updates(open);
}

const bodyOf = ({ params }: ContractCall) => JSON.stringify(params);

function calls(open: Open): void {
  test('a text is a message, in the chat it is addressed to', async () => {
    const { platform, message } = await open();
    const { textMethod, textParams, address, describe } = platform.calls;
    const { chat, thread } = message;
    const params = address(textParams(TEXT), { chat, thread });
    expect(describe(textMethod, params)).toMatchObject({ kind: 'call', family: 'send', chat });
    expect(platform.calls.isIdempotent(textMethod)).toBe(false);
  });

  test('a key with bounds is told which chats a call touches', async () => {
    const { platform, message } = await open();
    const { params } = message;
    const plain = platform.calls.plainParams?.(params) ?? { kind: 'plain', params };
    if (plain.kind !== 'plain') throw new Error('the message of the fixture is plain');
    const touched = platform.calls.targets(message.method, plain.params);
    expect(touched).toEqual({ kind: 'chats', chats: [message.chat] });
    expect(platform.calls.targets('noSuchMethod', plain.params).kind).toBe('unknown');
  });
}

function credentials(open: Open): void {
  test('a credential tells its account, and is struck out of every line', async () => {
    const { platform, credential, accountId, secret } = await open();
    const { claimedId, isShaped, byName, secrets } = platform.credentials;
    expect(isShaped(credential)).toBe(true);
    expect(claimedId(credential)).toBe(accountId);
    expect(isShaped(`no credential ${secret}`)).toBe(false);
    if (byName) return;
    const line = `sent with ${credential}, and so on`;
    const struck = secrets.reduce((text, pattern) => text.replace(pattern, ''), line);
    expect(struck).not.toContain(secret);
    expect(platform.credentials.isAccountId(accountId)).toBe(true);
    expect(platform.credentials.isAccountId(credential)).toBe(false);
  });
}

function tuningAndBroadcast(open: Open): void {
  test('settings of an account make plans of its own', async () => {
    const { platform, message } = await open();
    if (platform.tuning === undefined) return;
    const { planOf } = platform.tuning.limits({});
    const about = { family: 'send', live: false, cost: 1 } as const;
    const budget = platform.budgets.unsolicited;
    const charge = { chat: message.chat, user: null, budget, ...about };
    expect(planOf(charge)).toBe(planOf({ ...charge }));
  });

  test('a broadcast has a chat to try, and writes values as values', async () => {
    const { platform } = await open();
    const { broadcast, calls: own } = platform;
    if (broadcast === undefined) return;
    const to = { chat: broadcast.sampleChat, thread: null };
    const params = own.address(own.textParams(TEXT), to);
    expect(own.describe(own.textMethod, params).kind).toBe('call');
    expect(broadcast.escape(params, 'text', false)('plain')).toBe('plain');
    expect(broadcast.unreachable.every((reason) => /^[a-z_]+$/.test(reason))).toBe(true);
  });
}

function repairs(open: Open): void {
  test('what needs no repair is left alone', async () => {
    const { platform, message } = await open();
    if (platform.repairs === undefined) return;
    const { cure, chatAfter, split, rest } = platform.repairs;
    const body = bodyOf(message);
    const result = '{"ok":true,"result":{}}';
    expect(cure({ kind: 'drop_reply' }, message.method, body)).toBeNull();
    expect(split(message.method, body)).toBeNull();
    expect(rest(body, result)).toBeNull();
    expect(chatAfter(message.chat, { kind: 'sent', messageId: '1', result })).toBeNull();
  });
}

function references(open: Open): void {
  test('a message without an id is found in a call, and named when it has one', async () => {
    const { platform, message, pending = null } = await open();
    if (platform.references === undefined) return;
    const { mentions, named } = platform.references;
    expect(mentions(bodyOf(message))).toEqual([]);
    if (pending === null) return;
    expect(platform.calls.describe(pending.method, pending.params).kind).toBe('call');
    expect(mentions(bodyOf(pending))).toEqual([SEQ]);
    const body = named(bodyOf(pending), new Map([[SEQ, '105']]));
    expect(mentions(body)).toEqual([]);
    expect(body).toContain('105');
  });
}

function content(open: Open): void {
  test('a message can be put in words, and a text is its own', async () => {
    const { platform, message } = await open();
    if (platform.content === undefined) return;
    const { wording } = platform.content;
    const { textMethod, textParams } = platform.calls;
    expect(wording(message.method, message.params)).toMatch(/./);
    expect(wording(textMethod, textParams(TEXT))).toBe(TEXT);
  });

  test('equal edits leave equal contents', async () => {
    const { platform, edit } = await open();
    const touched = platform.content?.touch(edit.method, bodyOf(edit)) ?? null;
    if (touched === null) return;
    expect(touched.messages).toHaveLength(1);
    expect(platform.content!.touch(edit.method, bodyOf(edit))).toEqual(touched);
  });
}

function changes(open: Open): void {
  test('an edit says what it changes, and can be made of another message', async () => {
    const { platform, message, edit } = await open();
    if (platform.changes === undefined) return;
    const { read, about, make } = platform.changes;
    const change = read(edit.method, edit.params);
    expect(change).toMatchObject({ kind: 'edit', messages: [expect.stringMatching(/./)] });
    expect(read(edit.method, about(edit.params, '105'))).toEqual({ ...change, messages: ['105'] });
    expect(read(message.method, message.params)).toBeNull();
    const { chat, thread } = message;
    for (const kind of ['edit', 'delete'] as const) {
      const made = make({ kind, messages: ['5'], text: TEXT }, '105');
      if (made === null) continue;
      const params = platform.calls.address(made.params, { chat, thread });
      expect(platform.calls.describe(made.method, params)).toMatchObject({ family: kind, chat });
      expect(read(made.method, made.params)).toMatchObject({ kind, messages: ['105'] });
    }
    expect(make({ kind: 'edit', messages: ['5'], text: null }, '105')).toBeNull();
  });
}

function placeIn({ message }: PlatformFixture): LivePlace {
  const { chat, thread } = message;
  return { chat, thread, params: {}, isFirst: true, isLast: true };
}

function live(open: Open): void {
  test('a growing text is opened, changed and taken away by calls of its chat', async () => {
    const fixture = await open();
    const { platform } = fixture;
    const output = platform.live;
    if (output === undefined) return;
    const place = placeIn(fixture);
    expect(output.render('', 'plain', true)).toEqual([]);
    const [shown, ...more] = output.render(TEXT, 'plain', true);
    expect(more).toEqual([]);
    const familyOf = ({ method, params }: LiveCall) => {
      const described = platform.calls.describe(method, params);
      expect(described).toMatchObject({ kind: 'call', chat: place.chat });
      return described.kind === 'call' ? described.family : null;
    };
    const opened = output.open(shown!, place);
    expect([familyOf(opened), opened.method]).toEqual(['send', output.methods.open]);
    expect(output.edit === undefined).toBe(output.remove === undefined);
    // What cannot be changed is shown in messages that need not be.
    if (output.edit === undefined) expect(output.transportOf(place.chat)).toBe('chunks');
    else {
      const edited = output.edit(shown!, place, '7');
      expect([familyOf(edited), edited.method]).toEqual(['edit', output.methods.edit]);
      expect(familyOf(output.remove!(place, '7'))).toBe('delete');
    }
    expect(output.isGone('no such reason')).toBe(false);
  });
}

function updates(open: Open): void {
  test('what somebody wrote is read, and the call that answers it is recognised', async () => {
    const { platform, update, accountId, message } = await open();
    const reading = platform.updates;
    if (reading === undefined || update === undefined) return;
    const rawBody = JSON.stringify(update.value);
    const proof = reading.proofOf(rawBody, 'its secret');
    for (const name of Object.keys(proof)) expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(reading.verify(proof, rawBody, 'its secret')).toBe(true);
    expect(reading.verify(proof, null, 'its secret')).toBe(true);
    expect(reading.verify(proof, rawBody, 'another')).toBe(false);
    expect(reading.verify({}, rawBody, 'its secret')).toBe(false);
    const bot = { id: reading.idOf(`${platform.name}:${accountId}`), username: null };
    expect(reading.read({ nothing: 'known' }, bot)).toBeNull();
    const { value, messageId, reply } = update;
    const { chat } = message;
    expect(reading.read(value, bot)).toMatchObject({ chat, messageId, voice: 'wrote' });
    expect(platform.calls.replyTarget?.(chat, reply.params)).toBe(messageId);
    expect(reading.isAsked({ ...value }, reading.readPoll({}))).toBe(true);
    expect(reading.callIn('application/json', '')).toBeNull();
  });
}
