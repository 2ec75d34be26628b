// What the other nodes of a fleet answer to the very request that this one was asked: each speaks of what is its own,
// to the same caller. One that does not answer within a second is left out, as /v1/nodes says of it.

import type { FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import type { HttpParts } from '../context.ts';
import { holderHeader } from './holder.ts';
import type { FleetPort, NodeStanding } from './port.ts';

const OTHERS_MS_MAX = 1_000;

// One after the other, so that what one says decides what the next is asked.
export async function readOthersInTurn<T>(
  { fleet }: Pick<HttpParts, 'fleet'>,
  { holder }: Pick<FastifyRequest, 'holder'>,
  path: () => string,
  take: (answer: T) => void,
): Promise<void> {
  if (fleet?.side !== 'outer') return;
  for (const node of othersIn(fleet.port)) {
    const answer = await fleet.port.read(node, path(), headersFor(holder), OTHERS_MS_MAX);
    if (answer.kind === 'answered') take(answer.value as T);
  }
}

// Of a route that is `isWide`, so that it is known who answers. Embedded, and to another node: nothing.
export async function readOthers<T>(
  { fleet }: Pick<HttpParts, 'fleet'>,
  { url, holder }: Pick<FastifyRequest, 'url' | 'holder'>,
): Promise<T[]> {
  if (fleet?.side !== 'outer') return [];
  const headers = headersFor(holder);
  const answers = await Promise.all(
    othersIn(fleet.port).map((node) => fleet.port.read(node, url, headers, OTHERS_MS_MAX)),
  );
  return answers.flatMap((answer) => (answer.kind === 'answered' ? [answer.value as T] : []));
}

function othersIn(port: FleetPort): NodeStanding[] {
  return port.nodes().filter(({ isSelf, view }) => !isSelf && view !== null);
}

function headersFor(holder: FastifyRequest['holder']): Record<string, string> {
  const named = holderHeader(holder);
  return named === null ? {} : { [FLEET_HEADERS.holder]: named };
}
