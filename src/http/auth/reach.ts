// Whether what a request is about lies within the bounds of its key. Whoever is told no does not learn whether it
// exists.

import type { FastifyRequest } from 'fastify';
import type { Delivery } from '../../domain/delivery.ts';
import { parseId, platformOf } from '../../domain/ids.ts';
import type { Bounds, Holder } from '../../keys/keys.ts';
import type { StreamView } from '../../streams/streams.ts';
import { unreachable } from '../../system/assert.ts';
import type { HttpParts } from '../context.ts';
import type { Reach } from './access.ts';

type Named = Readonly<Record<string, unknown>>;

export async function isWithin(
  options: HttpParts,
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
    case 'message': {
      const found = await messageOf(options, textOf(params.id));
      return found !== null && bounds.mayRead(found.account, found.chat);
    }
    case 'message_change': {
      const found = await messageOf(options, textOf(params.id));
      return found !== null && bounds.mayTouch(found.account, found.chat, found.method);
    }
    case 'stream': {
      const found = await streamOf(options, textOf(params.id));
      return found !== null && bounds.mayRead(found.account, found.chat);
    }
    case 'stream_change': {
      const found = await streamOf(options, textOf(params.id));
      return found !== null && mayChange(options, bounds, found, request.holder);
    }
    case 'account':
      return bounds.mayManage(textOf(params.id));
    case 'query':
      return bounds.mayRead(textOf(query.account), chatOf(query.chat));
    case 'screen': {
      const account = query.account === undefined ? undefined : textOf(query.account);
      const id = options.screens?.named(account).id ?? '';
      return bounds.mayRead(id, chatOf(params.chat));
    }
    case 'closed':
      return !bounds.isNarrow;
    case 'whole':
      return false;
    default:
      return unreachable(reach);
  }
}

async function messageOf({ tag, ledger }: HttpParts, id: string): Promise<Delivery | null> {
  const seq = parseId(tag, id);
  return seq === null ? null : ledger.get(seq);
}

async function streamOf({ output }: HttpParts, id: string): Promise<StreamView | null> {
  return (await output?.live.get(id)) ?? null;
}

// Its own, or one whose messages it could edit itself. A change is also shown to those who observe the stream, and
// whoever opened it was judged for them.
function mayChange(
  { platforms }: HttpParts,
  bounds: Bounds,
  stream: StreamView,
  holder: Holder | null,
): boolean {
  const { account, chat } = stream;
  const methods = platforms.get(platformOf(account))?.live?.methods;
  if (methods === undefined || !bounds.mayTouch(account, chat, methods.open)) return false;
  if (stream.holder !== null && stream.holder === holder?.namespace) return true;
  return !stream.isObserved && bounds.mayTouch(account, chat, methods.edit);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function chatOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
