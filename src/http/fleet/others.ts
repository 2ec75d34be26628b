// What the other nodes of a fleet answer to the very request that this one was asked: each speaks of what is its own,
// to the same caller. One that does not answer within a second is left out, as /v1/nodes says of it.

import type { FastifyRequest } from 'fastify';
import { FLEET_HEADERS } from '../../domain/fleet.ts';
import type { HttpParts } from '../context.ts';
import { holderHeader } from './holder.ts';

const OTHERS_MS_MAX = 1_000;

// Of a route that is `isWide`, so that it is known who answers. Embedded, and to another node: nothing.
export async function readOthers<T>(
  { fleet }: Pick<HttpParts, 'fleet'>,
  { url, holder }: Pick<FastifyRequest, 'url' | 'holder'>,
): Promise<T[]> {
  if (fleet?.side !== 'outer') return [];
  const named = holderHeader(holder);
  const headers: Record<string, string> = named === null ? {} : { [FLEET_HEADERS.holder]: named };
  const others = fleet.port.nodes().filter(({ isSelf, view }) => !isSelf && view !== null);
  const answers = await Promise.all(
    others.map((node) => fleet.port.read(node, url, headers, OTHERS_MS_MAX)),
  );
  return answers.flatMap((answer) => (answer.kind === 'answered' ? [answer.value as T] : []));
}
