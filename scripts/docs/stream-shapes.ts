// docs/reference/stream-shapes.md from the table of shapes.

import { PRODUCERS, type Producer } from '../../src/streams/feed/producers.fixture.ts';
import { SHAPES } from '../../src/streams/feed/shape-table.ts';
import { MADE, table } from './table.ts';

// When the shapes were last compared with what their producers document.
const COMPARED = '2026-11-18';

// Samples that the producers' own libraries have read.
const READ_WITH = [
  ['`openai-chat`, `openai-responses`', '`openai` 6.49.0'],
  ['`anthropic-messages`, `anthropic-messages-tools`', '`@anthropic-ai/sdk` 1.9.0'],
  ['`gemini`', '`@google/genai` 2.32.0'],
  ['`cohere`', '`cohere-ai` 8.1.0'],
  ['`ollama-chat`', '`ollama` 0.6.4'],
  ['`replicate`', '`replicate` 1.4.0'],
  ['`tgi`', '`@huggingface/inference` 4.13.30'],
  ['`watsonx`', '`@ibm-cloud/watsonx-ai` 1.7.16'],
  ['`flowise`', '`flowise-sdk` 1.0.9'],
  ['`n8n`', 'the reader of `@n8n/chat` 1.37.0'],
  ['`langserve`', '`RemoteRunnable` of `langchain` 0.3.37'],
  ['`langgraph`', '`@langchain/langgraph-sdk` 2.0.0'],
  ['`ag-ui`', '`@ag-ui/client` 1.0.0'],
  ['`ai-sdk`', '`ai` 6.0.326'],
  ['`ai-sdk-4`', '`@ai-sdk/ui-utils` 1.2.11'],
  ['`codex`', '`@openai/codex-sdk` 0.163.0'],
  ['`mastra`', '`@mastra/client-js` 1.47.0'],
];

export function streamShapesPage(): string {
  const rows = SHAPES.map(({ name, producer, sign }) => [`\`${name}\``, producer, sign]);
  const understood = PRODUCERS.filter(({ as }) => as !== null).length;
  return `# Shapes of streams

${MADE}

What models, agents and their servers send can be poured in as it is ([streams](../use/streams.md)): as server-sent
events, as JSON lines, as one JSON array, or in the lines of the AI SDK 4. The first event or line that has one of these
marks decides how the rest of the body is read. Compared with what the producers document on ${COMPARED}.

${table(['shape', 'sent by', 'recognised by'], rows)}

A JSON string alone is a piece of the text in every shape.

* The text is what the model says to the reader: also a refusal, and the transcript of a voice. Reasoning, calls of
  tools and their results, citations, usage and what subagents say are passed over.
* Where a tool was called between two texts, there is a paragraph between them.
* Thoughts that a model writes into its text before the answer, \`<think>…</think>\`, are left out unless
  \`stream_thoughts\` is on. Further down such a tag is part of the text.
* A body whose shape has an end, and that stops before it, has broken off: what came is shown and \`error\` says so.
* A body of which nothing is of a known shape is refused with \`unknown_stream_shape\`: what was seen, and what is
  known. It is never shown as it came.

\`test/recorded/\` has a sample of each, written from what the producers document.
\`src/streams/feed/recorded.test.ts\` cuts each at every byte. On ${COMPARED} these samples were served over HTTP
to the producers' own libraries, which read the same text from them, but for the paragraphs around calls of tools and
for second choices; of LangGraph only that all events were read was looked at:

${table(['sample', 'read with'], READ_WITH)}

The libraries are no part of this project, as together they are larger than it. What n8n, Flowise and Mastra write was
also compared with their servers' sources (of July and August 2026), Claude Code's events by eye with the types of
\`@anthropic-ai/claude-agent-sdk\` 0.3.326. Dify has no library on npm that reads its events, and that of Bedrock
reads a binary form of them.

## Producers

${PRODUCERS.length} that were tried; ${understood} are understood, the others are refused with \`unknown_stream_shape\`.
Where no file is named, a few events written from what the producer documents are cut at every byte
by \`src/streams/feed/producers.test.ts\`.

${table(['', 'producer', 'read as', 'sample'], PRODUCERS.map(producerRow))}
`;
}

function producerRow({ name, as, sample, reason }: Producer, i: number): string[] {
  const read = as === null ? `refused: ${reason}` : as === 'text' ? 'plain text' : `\`${as}\``;
  return [String(i + 1), name, read, typeof sample === 'string' ? `\`${sample}\`` : 'in the test'];
}
