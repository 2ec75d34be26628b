// POST /v1/accounts/:id/probe: the platform is asked for an account now, and what is held back is tried.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { parseAccountId } from '../../domain/ids.ts';
import { checkOf } from '../../system/check.ts';
import { operator } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE, text } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';

interface ById {
  Params: { id: string };
}

const Probe = Type.Object(
  {
    chat: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'And this chat' })),
    force: Type.Optional(
      Type.Boolean({
        description: 'Also while the platform said to wait, which may make it longer',
      }),
    ),
  },
  { additionalProperties: false },
);
const checkProbe = checkOf(Probe);
const Probed = Type.Object({
  id: text,
  found: Type.Enum(['taken', 'refused', 'unreachable']),
  detail: text,
  thawed: Type.Integer({ description: 'Freezes that ended by it' }),
});

export const PROBE: Route<{ readonly options: HttpParts }> = {
  method: 'POST',
  url: '/v1/accounts/:id/probe',
  owner: 'account',
  access: operator('account', 'path'),
  tag: 'accounts',
  summary: 'Ask the platform for this account now, and try what is held back',
  body: Probe,
  answers: { 200: Probed },
  examples: { 'one of them': { params: { id: SAMPLE.account }, body: {}, status: 200 } },
  handler: ({ options }, request: FastifyRequest<ById>, reply) => probe(options, request, reply),
};

async function probe(
  { road, clock }: HttpParts,
  { params, body }: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const asked = body === undefined ? {} : body;
  if (!checkProbe.Check(asked)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkProbe, asked)));
  }
  const id = parseAccountId(params.id);
  if (id === null) return refuse(reply, 'unknown_account');
  const chat = asked.chat ?? null;
  const views = road.limits(id).filter((view) => view.chat === '' || view.chat === chat);
  // What one method waits for says nothing of the others.
  const freezes = views.flatMap((view) => view.freezes).filter(({ scope }) => scope !== 'method');
  const until = Math.max(0, ...freezes.map((each) => each.until));
  if (until > clock.now() && asked.force !== true) {
    return refuse(reply, 'frozen', `It is to wait until ${showTime(until)}.`);
  }
  const probed = await road.probe(id);
  if (probed === null) return refuse(reply, 'unknown_account');
  const places = chat === null ? [null] : [null, chat];
  let thawed = 0;
  for (const place of places) thawed += await road.thaw({ account: id, chat: place });
  return { id, ...probed, thawed };
}
