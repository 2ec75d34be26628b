// Whether what a request is about lies within the bounds of its key. Whoever is told no does not learn whether it
// exists.

import type { FastifyRequest } from 'fastify';
import { parseId } from '../domain/ids.ts';
import type { Bounds } from '../keys/keys.ts';
import { unreachable } from '../system/assert.ts';
import type { Reach } from './access.ts';
import type { IntakeOptions } from './intake.ts';

type Named = Readonly<Record<string, unknown>>;

export async function isWithin(
  options: IntakeOptions,
  reach: Reach,
  bounds: Bounds,
  request: FastifyRequest,
): Promise<boolean> {
  const params = request.params as Named;
  const query = request.query as Named;
  switch (reach) {
    case 'open':
    // Judged where it is drafted.
    case 'draft':
      return true;
    case 'message':
      return ofMessage(options, bounds, textOf(params.id));
    case 'stream':
      return ofStream(options, bounds, textOf(params.id));
    case 'account':
      return bounds.mayRead(textOf(params.id), null);
    case 'query':
      return bounds.mayRead(textOf(query.account), chatOf(query.chat));
    case 'terminal': {
      const name = textOf(query.account ?? 'local').replace(/^terminal:/, '');
      return bounds.mayRead(`terminal:${name}`, chatOf(params.chat));
    }
    case 'closed':
      return !bounds.isNarrow;
    case 'whole':
      return false;
    default:
      return unreachable(reach);
  }
}

async function ofMessage({ tag, ledger }: IntakeOptions, bounds: Bounds, id: string) {
  const seq = parseId(tag, id);
  const delivery = seq === null ? null : await ledger.get(seq);
  return delivery !== null && bounds.mayRead(delivery.account, delivery.chat);
}

async function ofStream({ output }: IntakeOptions, bounds: Bounds, id: string) {
  const view = (await output?.live.get(id)) ?? null;
  return view !== null && bounds.mayRead(view.account, view.chat);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function chatOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
