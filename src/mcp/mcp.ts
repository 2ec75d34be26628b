// The Model Context Protocol: an agent uses the gateway without any code of its own. The protocol is the official
// library's, which is loaded when somebody speaks it; what the tools do is in tools.ts.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type CallRest, TOOLS } from './tools.ts';

export type { CallRest, RestAnswer } from './tools.ts';

// An answer of megabytes would only fill the agent's memory.
const ANSWER_CHARS_MAX = 100_000;

export interface McpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

// One request over HTTP, without a session: nothing is kept between two of them.
export async function answerMcp(
  request: Request,
  body: unknown,
  rest: CallRest,
): Promise<McpAnswer> {
  const { WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = await createServer(rest);
  await server.connect(transport);
  try {
    const answer = await transport.handleRequest(request, { parsedBody: body });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    };
  } finally {
    await server.close();
  }
}

// Over the standard input and output of this process, until they end.
export async function serveMcpOnStdio(rest: CallRest): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const server = await createServer(rest);
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
}

async function createServer(rest: CallRest): Promise<Server> {
  const [library, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new library.Server(
    { name: 'sluice', version: '1' },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, description, schema, isReadOnly }) => ({
      name,
      description,
      inputSchema: schema as unknown as { type: 'object' },
      annotations: { readOnlyHint: isReadOnly },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) return told(`there is no tool ${params.name.slice(0, 100)}`, true);
    const { status, value } = await tool.call(params.arguments ?? {}, rest);
    return told(JSON.stringify(value), status >= 400);
  });
  return server;
}

function told(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text: text.slice(0, ANSWER_CHARS_MAX) }], isError };
}
