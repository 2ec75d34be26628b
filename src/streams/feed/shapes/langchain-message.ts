// LangChain's messages, as Python and JavaScript write them: plain, or as a constructor with its arguments.

import { asJson, at, contentText, type Json, listOf } from '../shape-port.ts';

export interface ChainMessage {
  readonly id: string;
  readonly text: string;
  readonly isFromModel: boolean;
  readonly isFromUser: boolean;
  readonly isTool: boolean;
  // It says that it is whole.
  readonly isFinished: boolean;
}

const MODEL: readonly unknown[] = ['ai', 'AIMessage', 'AIMessageChunk'];
const USER: readonly unknown[] = ['human', 'HumanMessage', 'HumanMessageChunk'];
const KINDS =
  /^(?:ai|human|tool|system|function|remove|(?:AI|Human|Tool|System|Function|Chat)Message(?:Chunk)?)$/;
// Reasons to finish after which a tool is called and the model asked again.
const PAUSES: readonly unknown[] = ['tool_calls', 'tool_use', 'function_call'];

// null: no message.
export function chainMessageOf(value: unknown): ChainMessage | null {
  const json = asJson(value);
  if (json === null) return null;
  const isConstructed = json.lc === 1 && json.type === 'constructor' && Array.isArray(json.id);
  const members = isConstructed ? (asJson(json.kwargs) ?? {}) : json;
  const kind = isConstructed ? (json.id as unknown[]).at(-1) : json.type;
  if (typeof kind !== 'string' || !KINDS.test(kind) || !('content' in members)) return null;
  const finish = finishOf(members);
  return {
    id: typeof members.id === 'string' ? members.id : '',
    text: contentText(members.content),
    isFromModel: MODEL.includes(kind),
    isFromUser: USER.includes(kind),
    isTool: !MODEL.includes(kind) || callsTool(members),
    isFinished: finish !== null && !PAUSES.includes(finish),
  };
}

function finishOf(members: Json): string | null {
  const { response_metadata: metadata } = members;
  const reasons = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'];
  const found = reasons.map((name) => at(metadata, name)).find((each) => typeof each === 'string');
  return found === undefined ? null : (found as string);
}

function callsTool(members: Json): boolean {
  const { tool_calls: calls, tool_call_chunks: chunks } = members;
  return listOf(calls).length + listOf(chunks).length > 0;
}
