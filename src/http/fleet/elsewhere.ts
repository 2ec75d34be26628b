// What one node of the fleet has and no row in the store says where: a file that only the reader of its channel can
// fetch, a login that is under way. The others are asked in turn; who does not have it says so (answerMoved).

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PeerAnswer, PeerRequest } from '../../cluster/peers.ts';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import { holderHeader } from './holder.ts';
import type { FleetPort } from './port.ts';

export type FoundElsewhere = Extract<PeerAnswer, { kind: 'answered' }>;

// null: nobody who has it answers.
export async function askElsewhere(
  port: FleetPort,
  { method, url, body, holder }: Pick<FastifyRequest, 'method' | 'url' | 'body' | 'holder'>,
  reply: FastifyReply,
): Promise<FoundElsewhere | null> {
  const hangUp = new AbortController();
  reply.raw.once('close', () => hangUp.abort());
  const named = holderHeader(holder);
  const headers: Record<string, string> = named === null ? {} : { [FLEET_HEADERS.holder]: named };
  const content = body === undefined || body === null ? null : Buffer.from(JSON.stringify(body));
  if (content !== null) headers['content-type'] = 'application/json';
  const asked: PeerRequest = {
    method: method as PeerRequest['method'],
    ...{ path: url, headers, body: content, signal: hangUp.signal },
  };
  for (const node of port.nodes()) {
    if (node.isSelf) continue;
    const answer = await port.forward(node, asked);
    if (answer.kind === 'answered') return answer;
  }
  return null;
}
