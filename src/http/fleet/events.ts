// Events of the whole fleet: who follows them at one node is sent those of the others too, as they come from their
// internal listeners. A node that goes is left out, and one that comes is followed within seconds; what happens in
// between is in the ledger.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { EVENT_BACKLOG_BYTES_MAX } from '../context.ts';
import { holderHeader } from './holder.ts';
import type { FleetPort, NodeStanding } from './port.ts';

const LOOK_MS = 2_000;
const END = '\n\n';
// Of one event; a longer one is no event of ours.
const EVENT_CHARS_MAX = 1_048_576;

// Until the response is closed.
export function followOthers(
  port: FleetPort,
  request: Pick<FastifyRequest, 'url' | 'holder'>,
  response: ServerResponse,
): void {
  const hangUp = new AbortController();
  response.once('close', () => hangUp.abort());
  const followed = new Set<string>();
  const look = async (): Promise<void> => {
    while (!hangUp.signal.aborted) {
      for (const node of port.nodes()) {
        const { incarnation, isSelf } = node;
        if (isSelf || followed.has(incarnation)) continue;
        followed.add(incarnation);
        void followNode(port, node, request, response, hangUp.signal).finally(() =>
          followed.delete(incarnation),
        );
      }
      await port.pause(LOOK_MS);
    }
  };
  void look();
}

async function followNode(
  port: FleetPort,
  node: NodeStanding,
  { url, holder }: Pick<FastifyRequest, 'url' | 'holder'>,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const named = holderHeader(holder);
  const headers: Record<string, string> = named === null ? {} : { [FLEET_HEADERS.holder]: named };
  const answer = await port.forward(node, {
    method: 'GET',
    path: url,
    headers,
    body: null,
    signal,
  });
  if (answer.kind !== 'answered') return;
  try {
    for await (const event of eventsIn(answer.body)) {
      if (response.writableLength < EVENT_BACKLOG_BYTES_MAX) response.write(event);
    }
  } catch {
    // The line broke, or whoever listened has left.
  }
}

// Whole ones only, so that those of several nodes do not mix; comments are for the line between the nodes.
export async function* eventsIn(body: Readable): AsyncGenerator<string> {
  body.setEncoding('utf8');
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END)) {
      const event = text.slice(0, end + END.length);
      text = text.slice(end + END.length);
      if (!event.startsWith(':')) yield event;
    }
    if (text.length > EVENT_CHARS_MAX) return;
  }
}
