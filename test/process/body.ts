// What a stand-in server is sent. Tests kill the sender in the middle of it: that is no error of the stand-in's.

import type { IncomingMessage } from 'node:http';

// null: the sender is gone before the end.
export async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch (error) {
    if (request.readableAborted) return null;
    throw error;
  }
  return Buffer.concat(chunks);
}
