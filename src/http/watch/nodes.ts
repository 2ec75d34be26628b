// GET /v1/nodes: the nodes of the fleet, what each owns, and who does not answer. Embedded there is one, which has no
// name.

import Type from 'typebox';
import { showTime } from '../../accept/time.ts';
import { viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import type { NodeStanding } from '../fleet/port.ts';
import { count, text, textOrNull } from '../openapi/common.ts';
import { group, type Route, withOptions } from '../route.ts';

const countOrNull = Type.Unsafe({ type: ['integer', 'null'] });
const Node = Type.Object({
  name: text,
  url: Type.Unsafe({ type: ['string', 'null'], description: 'Where other nodes reach it' }),
  state: Type.String({ description: 'ready, leaving, or cut_off: it does not reach the store' }),
  startedAt: textOrNull,
  self: Type.Boolean({ description: 'It is the one that answers' }),
  answers: Type.Boolean(),
  accounts: Type.Unsafe({ type: ['integer', 'null'], description: 'That it owns' }),
  waiting: countOrNull,
  inFlight: countOrNull,
});

const LIST: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/nodes',
  isWide: true,
  access: viewer('closed'),
  tag: 'watching',
  summary: 'The nodes of the fleet, and what each of them has',
  answers: { 200: Type.Object({ nodes: Type.Array(Node), total: count }) },
  examples: { 'all of them': { status: 200 } },
  handler: async (options) => {
    const nodes = options.fleet?.port.nodes().map(showNode) ?? [alone(options)];
    return { nodes, total: nodes.length };
  },
};

export const NODE_ROUTES = group<HttpParts>([LIST], withOptions);

function showNode({ name, url, state, startedAt, isSelf, view }: NodeStanding) {
  return {
    ...{ name, url, state, startedAt: showTime(startedAt), self: isSelf, answers: view !== null },
    accounts: view?.accounts.length ?? null,
    waiting: view === null ? null : waitingIn(view.depths),
    inFlight: view?.depths.inFlight ?? null,
  };
}

function alone({ road }: HttpParts) {
  const depths = road.depths();
  return {
    ...{ name: 'embedded', url: null, state: 'ready', startedAt: null, self: true, answers: true },
    accounts: road.accounts().length,
    waiting: waitingIn(depths),
    inFlight: depths.inFlight,
  };
}

type Classes = Readonly<Record<'critical' | 'high' | 'normal' | 'low', number>>;

function waitingIn({ critical, high, normal, low }: Classes): number {
  return critical + high + normal + low;
}
