// What producers of streams send today, each as a sample in test/recorded or as a few events written from what it
// documents: which shape it is read as, or why it is refused. docs/reference/stream-shapes.md prints the list.

export interface Producer {
  readonly name: string;
  // The shape's name; null: it is refused.
  readonly as: string | null;
  // The file in test/recorded, or what is sent.
  readonly sample: string | { readonly type: string; readonly body: string };
  // Why it is refused.
  readonly reason?: string;
}

// All of these spell it.
export const SAID = 'Hi there';

const SSE = 'text/event-stream';
const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const sse = (...events: unknown[]) => ({ type: SSE, body: events.map(data).join('') });
const named = (...events: [string, unknown][]) => ({
  type: SSE,
  body: events.map(([name, event]) => `event: ${name}\n${data(event)}`).join(''),
});
const lines = (...events: unknown[]) => ({
  type: 'application/x-ndjson',
  body: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
});
const recorded = (name: string, as: string, sample: string): Producer => ({ name, as, sample });

// Chat completions, with what is special about a server in its first event and its deltas.
function chat(name: string, first: object | null, extra: object = {}, comment = ''): Producer {
  const choice = (delta: object, finish_reason: string | null = null) => ({
    id: '1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { ...extra, ...delta }, finish_reason }],
  });
  const events = [choice({ role: 'assistant', content: 'Hi' }), choice({ content: ' there' })];
  const { body } = sse(...(first === null ? [] : [first]), ...events, choice({}, 'stop'));
  const sample = { type: SSE, body: `${comment}${body}data: [DONE]\n\n` };
  return { name, as: 'openai-chat', sample };
}

const text = (kind: string, word: string) => ({ type: kind, text: word });
const EMPTY = { id: '1', object: 'chat.completion.chunk', choices: [] };
const part = (word: string) => ({ content: { parts: [{ text: word }], role: 'model' } });

export const PRODUCERS: readonly Producer[] = [
  recorded('OpenAI chat completions', 'openai-chat', 'openai-chat.sse'),
  recorded('OpenAI chat completions, calls of tools', 'openai-chat', 'openai-chat-tools.sse'),
  recorded('OpenAI chat completions, a refusal', 'openai-chat', 'openai-chat-refusal.sse'),
  recorded('OpenAI chat completions, a voice', 'openai-chat', 'openai-chat-audio.sse'),
  recorded('Models that think in their text', 'openai-chat', 'openai-chat-think.sse'),
  {
    name: 'OpenAI completions (old), vLLM `/v1/completions`',
    as: 'openai-chat',
    sample: sse(
      { object: 'text_completion', choices: [{ index: 0, text: 'Hi', finish_reason: null }] },
      { object: 'text_completion', choices: [{ index: 0, text: ' there', finish_reason: 'stop' }] },
    ),
  },
  chat('Azure OpenAI', { ...EMPTY, prompt_filter_results: [{ prompt_index: 0 }] }),
  chat('Mistral', null),
  chat('Groq', { ...EMPTY, x_groq: { id: 'req_1' } }),
  chat('xAI', null, { reasoning_content: null }),
  chat('DeepSeek (`reasoning_content`)', {
    ...EMPTY,
    choices: [{ index: 0, delta: { reasoning_content: 'hm' }, finish_reason: null }],
  }),
  chat('OpenRouter (comments between events)', null, {}, ': OPENROUTER PROCESSING\n\n'),
  chat('Together', null, { token_id: 1 }),
  chat('Fireworks', null),
  chat('Perplexity', { ...EMPTY, citations: ['https://a.org'] }),
  chat('vLLM chat', null, { reasoning: null }),
  chat('LM Studio', null),
  chat('llama.cpp `/v1/chat/completions`', null),
  chat('Databricks model serving', null),
  chat('AI21 Jamba', null),
  chat('GitHub Copilot and GitHub Models', { ...EMPTY, prompt_filter_results: [] }),
  chat('Cerebras, SambaNova, NVIDIA NIM', null),
  chat('Hugging Face TGI `/v1/chat/completions`', null),
  recorded('OpenAI responses, also of Azure', 'openai-responses', 'openai-responses.sse'),
  recorded('OpenAI responses, calls of tools', 'openai-responses', 'openai-responses-tools.sse'),
  recorded('OpenAI responses, a refusal', 'openai-responses', 'openai-responses-refusal.sse'),
  recorded('OpenAI responses, a voice', 'openai-responses', 'openai-responses-audio.sse'),
  recorded('OpenAI assistants', 'openai-assistants', 'openai-assistants.sse'),
  recorded('Anthropic messages', 'anthropic-messages', 'anthropic-messages.sse'),
  recorded('Anthropic messages, tools', 'anthropic-messages', 'anthropic-messages-tools.sse'),
  {
    name: 'Anthropic messages with thoughts and citations, also on Vertex AI',
    as: 'anthropic-messages',
    sample: named(
      ['message_start', { type: 'message_start', message: { content: [] } }],
      ['content_block_delta', delta({ type: 'thinking_delta', thinking: 'hm' })],
      ['content_block_delta', delta(text('text_delta', 'Hi'))],
      ['content_block_delta', delta({ type: 'citations_delta', citation: {} })],
      ['content_block_delta', delta(text('text_delta', ' there'))],
      ['message_stop', { type: 'message_stop' }],
    ),
  },
  {
    name: 'Amazon Bedrock `InvokeModelWithResponseStream` of Anthropic, as JSON lines',
    as: 'anthropic-messages',
    sample: lines(
      { type: 'message_start', message: { content: [] } },
      delta(text('text_delta', 'Hi')),
      delta(text('text_delta', ' there')),
      { type: 'message_stop', 'amazon-bedrock-invocationMetrics': {} },
    ),
  },
  recorded('Amazon Bedrock `ConverseStream`', 'bedrock-converse', 'bedrock-converse.ndjson'),
  {
    name: 'Amazon Bedrock `InvokeModelWithResponseStream` of Titan',
    as: null,
    reason: 'nothing marks its events; ask by `ConverseStream`',
    sample: lines({ outputText: 'Hi', index: 0 }, { outputText: ' there', index: 0 }),
  },
  {
    name: 'Amazon Bedrock `InvokeModelWithResponseStream` of Llama',
    as: null,
    reason: 'nothing marks its events; ask by `ConverseStream`',
    sample: lines({ generation: 'Hi', stop_reason: null }, { generation: ' there' }),
  },
  recorded('Gemini `streamGenerateContent`, events', 'gemini', 'gemini.sse'),
  recorded('Gemini `streamGenerateContent`, an array', 'gemini', 'gemini-array.array'),
  {
    name: 'Vertex AI `streamGenerateContent`',
    as: 'gemini',
    sample: sse(
      { candidates: [part('Hi')], modelVersion: 'g' },
      { candidates: [{ ...part(' there'), finishReason: 'STOP' }], usageMetadata: {} },
    ),
  },
  recorded('Gemini interactions', 'gemini-interactions', 'gemini-interactions.sse'),
  recorded('Cohere chat 2', 'cohere', 'cohere.sse'),
  recorded('Cohere chat 1', 'cohere', 'cohere-v1.ndjson'),
  recorded('Ollama `/api/chat`', 'plain', 'ollama-chat.ndjson'),
  {
    name: 'Ollama `/api/generate`',
    as: 'plain',
    sample: lines(
      { model: 'm', response: 'Hi', done: false },
      { model: 'm', response: ' there', done: false },
      { model: 'm', response: '', done: true },
    ),
  },
  {
    name: 'llama.cpp `/completion`',
    as: 'plain',
    sample: sse({ content: 'Hi', stop: false }, { content: ' there', stop: true }),
  },
  {
    name: 'Cloudflare Workers AI',
    as: 'plain',
    sample: {
      type: SSE,
      body: `${sse({ response: 'Hi' }, { response: ' there' }).body}data: [DONE]\n\n`,
    },
  },
  recorded('Hugging Face TGI `/generate_stream`', 'tgi', 'tgi.sse'),
  recorded('SageMaker endpoints of TGI', 'tgi', 'tgi.sse'),
  recorded('Replicate', 'replicate', 'replicate.sse'),
  recorded('IBM watsonx `generation_stream`', 'watsonx', 'watsonx.sse'),
  recorded('Dify chats and workflows', 'dify', 'dify.sse'),
  recorded('Dify agents', 'dify', 'dify-agent.sse'),
  recorded('Flowise predictions', 'flowise', 'flowise.sse'),
  recorded('n8n chat, streaming answers', 'n8n', 'n8n.ndjson'),
  recorded('LangServe `/stream`', 'langserve', 'langserve.sse'),
  recorded('LangGraph `messages`, `values`, `updates`', 'langgraph', 'langgraph.sse'),
  recorded('LangGraph `messages/partial`', 'langgraph', 'langgraph-partial.sse'),
  recorded('LangChain `astream_events`', 'langchain-events', 'langchain-events.ndjson'),
  recorded('AG-UI, also of CopilotKit and Pydantic AI', 'ag-ui', 'ag-ui.sse'),
  {
    name: 'A2A `message/stream`',
    as: null,
    reason: 'its artifacts are documents and not one growing text',
    sample: sse({ jsonrpc: '2.0', id: 1, result: { kind: 'status-update', taskId: '1' } }),
  },
  {
    name: 'MCP over HTTP',
    as: null,
    reason: 'it answers calls of tools, and says nothing to a reader',
    sample: sse({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }),
  },
  {
    name: 'AI SDK: text stream',
    as: 'text',
    sample: { type: 'text/plain', body: SAID },
  },
  recorded('AI SDK 3 and 4: data stream', 'ai-sdk-4', 'ai-sdk-4.data'),
  recorded('AI SDK 5 and 6: UI message stream', 'ai-sdk', 'ai-sdk.sse'),
  recorded('Mastra, streams of agents', 'mastra', 'mastra.sse'),
  {
    name: 'Mastra, streams of workflows',
    as: null,
    reason: 'they tell of steps; send the stream of an agent, or its text',
    sample: sse(mastraStep('workflow-start'), mastraStep('workflow-finish')),
  },
  {
    name: 'OpenAI Agents SDK events',
    as: null,
    reason: 'events of a program and not of the wire; `raw_response_event.data` is responses',
    sample: lines({ type: 'raw_response_event', data: {} }),
  },
  recorded('Claude Code `stream-json` with partial messages', 'claude-code', 'claude-code.ndjson'),
  recorded('Claude Code `stream-json`', 'claude-code', 'claude-code-whole.ndjson'),
  recorded('Codex `exec --json`', 'codex', 'codex.ndjson'),
  recorded('Codex `exec --json`, older', 'codex', 'codex-older.ndjson'),
  {
    name: 'AutoGen and CrewAI events',
    as: null,
    reason: 'each program writes its own; send the text of its answer',
    sample: lines({ type: 'ModelClientStreamingChunkEvent', source: 'a' }),
  },
];

function mastraStep(type: string) {
  return { type, runId: 'r1', from: 'WORKFLOW', payload: {} };
}

function delta(inner: object) {
  return { type: 'content_block_delta', index: 0, delta: inner };
}
