// Bodies as producers send them, cut wherever a network can cut them, and bodies that nobody should send.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamFeed } from './event-stream.ts';
import { fed, sum } from './feed.fixture.ts';
import { type Feed, type FeedEvent, feedOf } from './feed.ts';
import { JsonFeed } from './json-feed.ts';

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';
const done: FeedEvent = { kind: 'done' };
const text = (told: string): FeedEvent => ({ kind: 'text', text: told });
const bytes = (body: string) => new TextEncoder().encode(body);

function read(type: string, body: string): FeedEvent[] {
  return fed(feedOf(type)!, [bytes(body)]);
}

describe('plain text', () => {
  test('is whole wherever it is cut, bad bytes as U+FFFD', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60, size: 'max' }), fc.nat(60), (body, cut) => {
        const got = sum(fed(feedOf('text/plain')!, [body.subarray(0, cut), body.subarray(cut)]));
        expect(got).toEqual({ text: new TextDecoder().decode(body), end: done });
      }),
    );
  });

  test('is read in the encoding it names', () => {
    const latin = feedOf('Text/Plain; charset="ISO-8859-1"')!;
    expect(sum(fed(latin, [Uint8Array.of(0xe9)])).text).toBe('é');
    expect(feedOf('text/plain; charset=nobody-knows')).toBeNull();
  });

  test('without a type is text, even if it begins like something else', () => {
    for (const body of [
      '',
      'dat',
      'database',
      '{',
      '{x}',
      'event',
      '   ',
      '\n\n# A title',
      'idea: a',
      ':) hi',
      ': a remark\n\nand its text',
      'data: is the new oil',
      'event: tonight\nid: 7\nat eight',
    ]) {
      const single = Array.from(bytes(body), (byte) => Uint8Array.of(byte));
      expect(sum(fed(feedOf(undefined)!, single))).toEqual({ text: body, end: done });
    }
  });

  test('other types are no stream', () => {
    expect(feedOf('application/json')).toBeNull();
    expect(feedOf('image/png')).toBeNull();
  });
});

describe('JSON lines', () => {
  test.each<[string, FeedEvent[]]>([
    ['"a"\n"b"', [text('a'), text('b'), done]],
    ['{"text":"a"}\n{"delta":"b"}\n{"content":"c"}\n', [text('a'), text('b'), text('c'), done]],
    ['{"response":"a","done":false}\n{"response":"b","done":true}\n', [text('a'), text('b'), done]],
    ['{"replace":"a"}\n{"text":"b"}', [{ kind: 'replace', text: 'a' }, text('b'), done]],
    ['"x"\n{"final":"all"}\n"late"', [text('x'), { kind: 'replace', text: 'all' }, done]],
    ['"x"\n{"done":true}\n"late"', [text('x'), done]],
    [
      '"x"\n{"error":"out of memory"}\n"late"',
      [text('x'), { kind: 'error', detail: 'out of memory' }],
    ],
    ['{"type":"thinking","text":"no"}\n{"type":"text","text":"yes"}', [text('yes'), done]],
    ['\n\r\n"a"\n\n', [text('a'), done]],
    ['', [done]],
  ])('%j', (body, events) => {
    expect(read(NDJSON, body)).toEqual(events);
  });

  test('a line that is no JSON is left out and counted', () => {
    const feed = feedOf(NDJSON)!;
    expect(sum(fed(feed, [bytes('"a"\n{"text":\n[1]\n"b"\n')]))).toEqual({ text: 'ab', end: done });
    expect(feed.broken).toBe(1);
  });

  test('a body of which nothing is understood is an error, not an empty message', () => {
    const pretty = JSON.stringify({ error: { message: 'wrong key' } }, null, 2);
    expect(sum(read(NDJSON, pretty)).end.kind).toBe('error');
  });
});

describe('server-sent events', () => {
  test.each<[string, string, FeedEvent[]]>([
    ['data in several lines', 'data: {"text":\ndata:"a"}\n\n', [text('a'), done]],
    ['comments and other fields', ':x\nid: 1\nretry: 5\nfoo\ndata:"a"\n\n', [text('a'), done]],
    ['one space only', 'data:  "a"\n\n', [text('a'), done]],
    ['no last empty line', 'data: "a"\n\ndata: [DONE]', [text('a'), done]],
    ['half an event at the end', 'data: "a"\n\ndata: {"text":"b', [text('a'), done]],
    ['events without data', 'event: ping\n\ndata: "a"\n\n', [text('a'), done]],
    ['text after the end', 'data: "a"\n\ndata: [DONE]\n\ndata: "b"\n\n', [text('a'), done]],
    ['unknown payloads', 'data: {"x":1}\n\ndata: 7\n\ndata: "a"\n\n', [text('a'), done]],
    ['a name that is the type', 'event: message_stop\ndata: {}\n\ndata: "a"\n\n', [done]],
    ['the default name', 'event: message\ndata: {"text":"a"}\n\n', [text('a'), done]],
    ['no choices at all', 'data: {"choices":null}\n\ndata: "a"\n\n', [text('a'), done]],
  ])('%s', (_, body, events) => {
    expect(read(SSE, body)).toEqual(events);
  });

  test('broken JSON is counted and left out', () => {
    const feed = feedOf(SSE)!;
    expect(sum(fed(feed, [bytes('data: {oops\n\ndata: "a"\n\n')])).text).toBe('a');
    expect(feed.broken).toBe(1);
  });

  test('an end that is told does not make an empty message of what was not understood', () => {
    const strange = 'event: part\ndata: {"part":{"words":"a"}}\n\n';
    const detail = expect.stringContaining(
      'nothing in it is of a known shape (2 events or lines; the first is an event part, an object of part); ' +
        'known are openai-chat, openai-responses,',
    );
    const told = read(SSE, `${strange}${strange}event: done\ndata: [DONE]\n\n`);
    expect(told).toEqual([{ kind: 'error', detail, isUnknown: true }]);
    expect(read(SSE, 'data: [DONE]\n\n')).toEqual([done]);
  });

  test('a finish reason is an end, even without [DONE]', () => {
    const body =
      'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}\n\n';
    expect(read(SSE, body)).toEqual([text('a'), done]);
  });

  test.each([
    [
      'overloaded_error: Overloaded',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    [
      'server_error: The server had an error',
      { error: { message: 'The server had an error', type: 'server_error', code: null } },
    ],
    [
      'server_error: Provider disconnected',
      {
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        error: { code: 'server_error', message: 'Provider disconnected' },
      },
    ],
    [
      'ERR_SOMETHING: Something went wrong',
      { type: 'error', code: 'ERR_SOMETHING', message: 'Something went wrong', param: null },
    ],
    [
      'server_error: The model failed',
      {
        type: 'response.failed',
        response: { error: { code: 'server_error', message: 'The model failed' } },
      },
    ],
    ['the producer failed and said no more', { type: 'response.failed', response: { error: {} } }],
  ])('an error in the stream ends it: %s', (detail, payload) => {
    const body = `data: "a"\n\ndata: ${JSON.stringify(payload)}\n\ndata: "b"\n\n`;
    expect(read(SSE, body)).toEqual([text('a'), { kind: 'error', detail }]);
  });

  test('Responses that reached their longest are done', () => {
    const body = 'data: {"type":"response.incomplete","response":{"status":"incomplete"}}\n\n';
    expect(read(SSE, body)).toEqual([done]);
  });
});

describe('bounds', () => {
  const bounds = { lineUnitsMax: 50, eventUnitsMax: 80 };
  const long = 'x'.repeat(60);
  const HIDDEN = { areThoughtsShown: false };

  test.each<[string, Feed, string[]]>([
    ['a line of JSON', new JsonFeed('lines', HIDDEN, bounds), ['"a"\n', `"${long}"\n`]],
    ['a line of JSON without an end', new JsonFeed('lines', HIDDEN, bounds), ['"a"\n"', ...long]],
    ['a line of an event', new EventStreamFeed(HIDDEN, bounds), [`data: "a"\n\n:${long}\n`]],
    [
      'an event',
      new EventStreamFeed(HIDDEN, bounds),
      ['data: "a"\n\n', ...Array(5).fill('data: 123456789 123456789\n')],
    ],
  ])('%s too long ends the feed', (_, feed, pieces) => {
    const events = fed(feed, [...pieces.map(bytes), bytes('\n\n"b"\n\ndata: "b"\n\n')]);
    expect(events).toEqual([text('a'), { kind: 'error', detail: expect.stringMatching(/longer/) }]);
  });
});

test('nothing makes a feed throw, and every feed ends exactly once', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      'data:',
      'event: error',
      ' ',
      '\n',
      '\r',
      '{"text":',
      '"a"',
      '}',
      '[DONE]',
      'é',
      '\0',
    ),
  });
  const json = fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}\n\n`);
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, json), { maxLength: 12, size: 'max' }), (pieces) => {
      for (const type of [SSE, NDJSON, 'text/plain', undefined]) {
        const events = fed(feedOf(type)!, pieces.map(bytes));
        const ends = events.filter(({ kind }) => kind === 'done' || kind === 'error');
        expect(ends).toEqual([events.at(-1)]);
      }
    }),
    { numRuns: 300 },
  );
});
