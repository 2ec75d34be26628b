// The HTTP server beneath the routes. Requests sent ahead on one connection are taken one after the other: the next
// begins when the one before has its answer, which no other could overtake anyway. So a connection costs one request
// at a time, however many are sent; one that sends too many ahead is cut before anything of them is looked at.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

// Requests that wait behind another one on the same connection.
const PIPELINED_MAX = 64;
// Longer than proxies and clients keep a connection, so that it is they who close it.
const KEEP_ALIVE_MS = 72_000;

interface Pipeline {
  last: ServerResponse;
  waiting: number;
}

export function createPipelineServer(listener: RequestListener, requestMsMax: number): Server {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const options = { requestTimeout: requestMsMax, keepAliveTimeout: KEEP_ALIVE_MS };
  return createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    // A response that has no connection yet waits for the one before it.
    if (response.socket !== null || pipeline === undefined) {
      if (pipeline === undefined) pipelines.set(socket, { last: response, waiting: 0 });
      else pipeline.last = response;
      listener(request, response);
      return;
    }
    if (socket.destroyed) return;
    if (pipeline.waiting >= PIPELINED_MAX) {
      // Thousands more may lie in the same packet.
      cut(socket);
      return;
    }
    const { last } = pipeline;
    pipeline.last = response;
    pipeline.waiting += 1;
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  });
}

// Node makes an error, with its stack, of every request that a closed connection leaves behind: hundreds of them at
// once cost more than all else about them.
function cut(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.on('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
