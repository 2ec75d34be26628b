// What the samples do not show: how producers fail, refuse and think, and bodies that nobody knows.

import { describe, expect, test } from 'vitest';
import { fed, sum } from './feed.fixture.ts';
import { type FeedEvent, feedOf } from './feed.ts';
import { SHAPES } from './shape-table.ts';

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';
const bytes = (body: string) => new TextEncoder().encode(body);
const lines = (...values: readonly unknown[]) =>
  values.map((value) => JSON.stringify(value)).join('\n');

function read(type: string | undefined, body: string): FeedEvent[] {
  return fed(feedOf(type)!, [bytes(body)]);
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const chunk = (type: string, nodeId: string, content?: string) => ({
  type,
  content,
  metadata: { nodeId, nodeName: 'Node', runIndex: 0, itemIndex: 0 },
});

const ofAgent = (type: string, payload: object) => ({ type, runId: 'r', from: 'AGENT', payload });

describe('a failure', () => {
  const agent = { session_id: 's', parent_tool_use_id: null };
  test.each<[string, string, string]>([
    [
      'Gemini',
      lines({ error: { code: 503, status: 'UNAVAILABLE', message: 'later' } }),
      'UNAVAILABLE: later',
    ],
    [
      'Gemini, blocked',
      lines({ promptFeedback: { blockReason: 'SAFETY' } }),
      'SAFETY: the prompt was blocked',
    ],
    [
      'Gemini, stopped',
      lines({ candidates: [{ content: { parts: [] }, finishReason: 'RECITATION' }] }),
      'RECITATION: the model stopped',
    ],
    [
      'Interactions',
      lines(
        { event_type: 'interaction.created' },
        { event_type: 'error', error: { code: 'internal', message: 'oh' } },
      ),
      'internal: oh',
    ],
    ['TGI', lines({ error: 'Request failed', error_type: 'generation' }), 'Request failed'],
    [
      'Cohere',
      lines({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'oh' } }),
      'ERROR: oh',
    ],
    [
      'AG-UI',
      lines({ type: 'RUN_STARTED' }, { type: 'RUN_ERROR', code: 'E1', message: 'oh' }),
      'E1: oh',
    ],
    [
      'Codex',
      lines(
        { type: 'turn.started' },
        { type: 'error', message: 'Reconnecting' },
        { type: 'turn.failed', error: { message: 'no quota' } },
      ),
      'no quota',
    ],
    [
      'Codex that said no more',
      lines({ type: 'turn.started' }, { type: 'error', message: 'Reconnecting' }),
      'Reconnecting',
    ],
    [
      'n8n, the node that writes',
      lines(chunk('begin', 'a'), chunk('error', 'a', 'no quota'), chunk('end', 'a')),
      'no quota',
    ],
    [
      'n8n, a node before any that writes',
      lines(chunk('error', 'b', 'no such table')),
      'no such table',
    ],
    [
      'n8n, a tool after which nobody goes on',
      lines(chunk('begin', 'a'), chunk('end', 'a'), chunk('error', 'b', 'refused')),
      'refused',
    ],
    [
      'watsonx',
      lines({ errors: [{ code: 'model_not_supported', message: 'oh' }], trace: 't' }),
      'model_not_supported: oh',
    ],
    [
      'Claude Code',
      lines({ type: 'result', subtype: 'error_max_turns', is_error: true, ...agent }),
      'error_max_turns',
    ],
    [
      'Mastra',
      lines(ofAgent('start', {}), ofAgent('error', { error: { name: 'E', message: 'oh' } })),
      'oh',
    ],
    [
      'Mastra, told after it was over',
      lines(
        ofAgent('finish', { stepResult: { reason: 'error' } }),
        ofAgent('error', { error: 'no quota' }),
      ),
      'no quota',
    ],
    ['Mastra, by a guard', lines(ofAgent('tripwire', { reason: 'not allowed' })), 'not allowed'],
    [
      'Mastra, by a guard after which nobody goes on',
      lines(ofAgent('tripwire', { reason: 'again', retry: true })),
      'again',
    ],
    ['AI SDK', lines({ type: 'start-step' }, { type: 'error', errorText: 'oh' }), 'oh'],
    [
      'Dify',
      lines({ event: 'error', task_id: '1', code: 'provider_quota_exceeded', message: 'oh' }),
      'provider_quota_exceeded: oh',
    ],
    [
      'Dify, a workflow',
      lines({ event: 'workflow_finished', task_id: '1', data: { status: 'failed', error: 'oh' } }),
      'oh',
    ],
    [
      'LangChain',
      lines(
        { event: 'on_chain_start', run_id: 'r' },
        { event: 'on_chain_error', run_id: 'r', data: { error: 'oh' } },
      ),
      'oh',
    ],
    [
      'Bedrock',
      lines({ messageStart: {} }, { throttlingException: { message: 'slower' } }),
      'throttlingException: slower',
    ],
  ])('of %s', (_, body, detail) => {
    expect(read(NDJSON, body)).toEqual([{ kind: 'error', detail }]);
  });

  test.each<[string, string, string]>([
    [
      'LangGraph',
      event('values', { messages: [] }) + event('error', { error: 'ValueError', message: 'oh' }),
      'ValueError: oh',
    ],
    [
      'Assistants',
      event('thread.run.created', {}) +
        event('thread.run.failed', { last_error: { code: 'server_error', message: 'oh' } }),
      'server_error: oh',
    ],
    [
      'Replicate',
      'event: output\ndata: a\n\nevent: error\ndata: out of memory\n\n',
      'out of memory',
    ],
    [
      'Replicate, cancelled',
      'event: output\ndata: a\n\nevent: done\ndata: {"reason":"canceled"}\n\n',
      'canceled',
    ],
    [
      'Flowise',
      'message:\ndata:{"event":"start","data":""}\n\nmessage:\ndata:{"event":"error","data":"oh"}\n\n',
      'oh',
    ],
    [
      'Flowise, stopped by a person',
      'message:\ndata:{"event":"token","data":"a"}\n\nmessage:\ndata:{"event":"abort","data":"[DONE]"}\n\n',
      'the producer aborted it',
    ],
    [
      'AI SDK, in events',
      'data: {"type":"text-start"}\n\ndata: {"type":"abort"}\n\n',
      'the producer aborted it',
    ],
  ])('of %s', (_, body, detail) => {
    expect(read(SSE, body).at(-1)).toEqual({ kind: 'error', detail });
  });

  test('of the AI SDK 4', () => {
    expect(read(undefined, '0:"a"\n3:"oh"\n')).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'error', detail: 'oh' },
    ]);
  });
});

describe('a text', () => {
  const done: FeedEvent = { kind: 'done' };

  test.each<[string, string, string]>([
    [
      'of a state, from the newest question on',
      event('values', {
        messages: [
          { type: 'ai', id: '1', content: 'old' },
          { type: 'human', id: '2', content: 'why?' },
          { type: 'ai', id: '3', content: [{ type: 'text', text: 'so' }] },
        ],
      }),
      'so',
    ],
    [
      'of what a node changed',
      event('updates', { agent: { messages: [{ type: 'ai', content: 'so' }] } }),
      'so',
    ],
    [
      'of a subgraph',
      `${event('messages|tools:1', [{ type: 'AIMessageChunk', content: 'so' }, {}])}event: end\n\n`,
      'so',
    ],
    [
      'of a chain that ends in a parser',
      `${event('metadata', { run_id: '1' })}event: data\ndata: "so"\n\nevent: end\n\n`,
      'so',
    ],
    ['that is whole in a JSON of several lines', JSON.stringify({ text: 'so' }, null, 2), 'so'],
    [
      'of a workflow that does not stream',
      lines({
        event: 'workflow_finished',
        task_id: '1',
        data: { status: 'succeeded', outputs: { text: 'so' } },
      }),
      'so',
    ],
    [
      'that moderation replaces',
      lines(
        { event: 'message', task_id: '1', answer: 'bad' },
        { event: 'message_replace', task_id: '1', answer: 'so' },
        { event: 'message_end', task_id: '1' },
      ),
      'so',
    ],
    [
      'of an agent of n8n that goes on after a tool',
      lines(
        ...[chunk('begin', 'a'), chunk('item', 'a', 'I look.'), chunk('end', 'a')],
        chunk('error', 'b', 'refused'),
        ...[chunk('begin', 'a'), chunk('item', 'a', 'so'), chunk('end', 'a')],
      ),
      'I look.\n\nso',
    ],
    [
      'of Flowise around a tool and events of its own',
      lines(
        { event: 'thinking', data: 'hm', duration: 1 },
        { event: 'token', data: 'I look.' },
        { event: 'calledTools', data: [] },
        { event: 'myNode', data: 1 },
        { event: 'token', data: 'so' },
        { event: 'end', data: '[DONE]' },
      ),
      'I look.\n\nso',
    ],
    [
      'of Claude Code that is in the result only',
      lines({ type: 'result', session_id: 's', is_error: false, result: 'so' }),
      'so',
    ],
    [
      'of several messages of Anthropic',
      ['message_start', 'message_delta', 'message_stop']
        .map((type) => event(type, { delta: { stop_reason: 'tool_use' } }))
        .join('') +
        event('content_block_delta', { delta: { type: 'text_delta', text: 'so' } }) +
        event('message_stop', {}).replace('{}', '{"type":"message_stop"}'),
      'so',
    ],
  ])('%s', (_, body, text) => {
    const isLines = body.startsWith('{"');
    expect(sum(read(isLines ? NDJSON : undefined, body)).text).toBe(text);
  });

  test.each<[string[], string]>([
    [['<think>a</think>b'], 'b'],
    [['  \n<thi', 'nk>a</thi', 'nk>', '\n\nb'], 'b'],
    [['<think>a</think><think>b</think>', 'c'], 'c'],
    [['<thin', 'g>'], '<thing>'],
    [['<think'], '<think'],
    [['  ', 'a'], '  a'],
    [['a <think>b</think>'], 'a <think>b</think>'],
    [['so\n<think>b</think>'], 'so\n<think>b</think>'],
  ])('%j without its thoughts', (pieces, text) => {
    expect(sum(read(NDJSON, lines(...pieces)))).toEqual({ text, end: done });
  });

  test('of the AI SDK 4 that is called plain text, and one that only looks like it', () => {
    const single = (body: string) => Array.from(bytes(body), (byte) => Uint8Array.of(byte));
    const body = 'f:{"messageId":"m"}\n0:"so"\nd:{}\n';
    const type = 'text/plain; charset=utf-8';
    expect(sum(fed(feedOf(type)!, single(body)))).toEqual({ text: 'so', end: done });
    for (const text of ['f:{"mess', '0:"so"', '{"text":"a"}', ' f']) {
      expect(sum(fed(feedOf(type)!, single(text)))).toEqual({ text, end: done });
    }
  });

  test('of LangServe ends with an event that has no data', () => {
    const piece = event('data', { type: 'AIMessageChunk', content: 'so' });
    expect(sum(read(SSE, `${piece}event: end\n\n`))).toEqual({ text: 'so', end: done });
    expect(sum(read(SSE, piece)).end.kind).toBe('error');
  });

  test('of several messages has a paragraph for each', () => {
    const message = (id: string, delta: string) => ({
      type: 'TEXT_MESSAGE_CHUNK',
      messageId: id,
      delta,
    });
    const body = lines(message('1', 'a'), message('1', 'b'), message('2', 'c'));
    expect(sum(read(NDJSON, `${body}\n{"type":"RUN_FINISHED"}`)).text).toBe('ab\n\nc');
  });

  test('that is nothing but a thought is an error, not an empty message', () => {
    const detail = expect.stringContaining('within its thoughts');
    expect(read(NDJSON, '"<think>for ever"')).toEqual([{ kind: 'error', detail }]);
  });

  test.each<[string, string, string]>([
    ['a', 'b', 'a\n\nb'],
    ['a\n', 'b', 'a\n\nb'],
    ['a\n\n', 'b', 'a\n\nb'],
    ['a', '\n\nb', 'a\n\nb'],
    ['', 'b', 'b'],
    ['a', '<think>hm</think>b', 'a\n\nb'],
  ])('%j, a tool, %j', (before, after, text) => {
    const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
    const tool = chunk({ tool_calls: [{ index: 0 }] });
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const body = lines(chunk({ content: before }), tool, chunk({ content: after }), end);
    expect(sum(read(NDJSON, body))).toEqual({ text, end: done });
  });
});

describe('a shape that nobody knows', () => {
  test.each<[string, string | undefined, string]>([
    ['an object of a, b', NDJSON, '{"a":1,"b":{"secret":"x"}}\n{"a":2}\n'],
    ['an event chunk, an object of words', SSE, 'event: chunk\ndata: {"words":"x"}\n\n'],
    ['an array', SSE, 'data: [1,2]\n\n'],
    ['no JSON', SSE, 'data: hello\n\n'],
    ['an object of a', undefined, '[{"a":1},\n{"a":2}]'],
    ['an object of nothing', NDJSON, '{"a b c":1}'],
  ])('is refused: %s', (seen, type, body) => {
    const events = read(type, body);
    expect(events).toEqual([{ kind: 'error', detail: expect.any(String), isUnknown: true }]);
    const { detail } = events[0] as { detail: string };
    expect(detail).toContain(`the first is ${seen})`);
    for (const { name } of SHAPES) expect(detail).toContain(name);
    expect(detail).not.toContain('secret');
  });
});
