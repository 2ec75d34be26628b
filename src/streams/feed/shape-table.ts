// The shapes in which producers stream, one row each: the first that owns a payload reads the rest of the body.
// docs/reference/stream-shapes.md is made from it, and test/recorded has a sample of each.

import type { Payload, Shape } from './shape-port.ts';
import { agUi } from './shapes/ag-ui.ts';
import { aiSdk, aiSdk4 } from './shapes/ai-sdk.ts';
import { anthropicMessages } from './shapes/anthropic.ts';
import { bedrock } from './shapes/bedrock.ts';
import { claudeCode } from './shapes/claude-code.ts';
import { codex } from './shapes/codex.ts';
import { cohere } from './shapes/cohere.ts';
import { dify } from './shapes/dify.ts';
import { flowise } from './shapes/flowise.ts';
import { gemini } from './shapes/gemini.ts';
import { geminiInteractions } from './shapes/gemini-interactions.ts';
import { langchainEvents } from './shapes/langchain-events.ts';
import { langgraph } from './shapes/langgraph.ts';
import { langserve } from './shapes/langserve.ts';
import { mastra } from './shapes/mastra.ts';
import { n8n } from './shapes/n8n.ts';
import { openaiAssistants } from './shapes/openai-assistants.ts';
import { openaiChat } from './shapes/openai-chat.ts';
import { openaiResponses } from './shapes/openai-responses.ts';
import { replicate } from './shapes/replicate.ts';
import { simple } from './shapes/simple.ts';
import { tgi } from './shapes/tgi.ts';
import { watsonx } from './shapes/watsonx.ts';

// The more special first; the plain one takes whatever has a text.
export const SHAPES: readonly Shape[] = [
  openaiChat,
  openaiResponses,
  openaiAssistants,
  anthropicMessages,
  gemini,
  geminiInteractions,
  bedrock,
  cohere,
  tgi,
  replicate,
  mastra,
  aiSdk,
  aiSdk4,
  agUi,
  langchainEvents,
  langgraph,
  langserve,
  dify,
  flowise,
  n8n,
  watsonx,
  claudeCode,
  codex,
  simple,
];

export function shapeOf(payload: Payload): Shape | null {
  return SHAPES.find((shape) => shape.owns(payload)) ?? null;
}
