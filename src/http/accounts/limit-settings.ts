// GET and PATCH /v1/accounts/:id/limits: the numbers of an account's limits, and an operator's hand on them. They hold
// from the answer on, without a restart.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type AccountId, parseAccountId } from '../../domain/ids.ts';
import type { LimitSetting } from '../../domain/limit-setting.ts';
import { unreachable } from '../../system/assert.ts';
import { checkOf } from '../../system/check.ts';
import { operator, viewer } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE, text, textOrNull } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';

interface LimitPorts {
  readonly options: HttpParts;
  // What was seen of the limits a moment ago: who changes them sees the change.
  readonly seen: { forget(): void };
}

interface ById {
  Params: { id: string };
}

const CHANGED_MAX = 50;
const numberOrNull = Type.Unsafe<number | null>({ type: ['number', 'null'] });
const Change = Type.Record(
  Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }),
  Type.Union([Type.Number(), Type.Null(), Type.Literal('none')]),
  {
    maxProperties: CHANGED_MAX,
    description:
      'By the names of the settings; null: back to what holds where nothing is set by hand; "none": no such limit, ' +
      'where the setting may be left out',
  },
);
const checkChange = checkOf(Change);
const Settings = Type.Object({
  id: text,
  settings: Type.Array(
    Type.Object({
      name: text,
      meaning: text,
      unit: textOrNull,
      expected: Type.String({ description: 'What may be set' }),
      value: { ...numberOrNull, description: 'What holds now; null: no such limit' },
      usual: { ...numberOrNull, description: 'What holds where nothing is set by hand' },
      from: Type.Enum(['default', 'settings', 'hand']),
    }),
  ),
});
const url = '/v1/accounts/:id/limits';
const params = { id: SAMPLE.account };

export const SHOW_SETTINGS: Route<LimitPorts> = {
  method: 'GET',
  url,
  owner: 'account',
  access: viewer('account'),
  tag: 'accounts',
  summary: 'The numbers of the limits of this account, and which were set by hand',
  answers: { 200: Settings },
  examples: { 'one of them': { params, status: 200 } },
  handler: async ({ options: { road } }, { params }: FastifyRequest<ById>, reply) => {
    const id = parseAccountId(params.id);
    const shown = id === null ? null : show(id, road.limitSettings(id));
    return shown ?? refuse(reply, 'unknown_account');
  },
};

export const SET: Route<LimitPorts> = {
  method: 'PATCH',
  url,
  owner: 'account',
  access: operator('account', 'path'),
  tag: 'accounts',
  summary:
    'Set limits of this account by hand, or back to the settings; in force at once, and kept',
  body: Change,
  answers: { 200: Settings },
  examples: {
    'back to the settings': { params, body: { [SAMPLE.limit]: null }, status: 200 },
  },
  handler: set,
};

async function set(
  { options: { road }, seen }: LimitPorts,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
) {
  const { body, params: named } = request;
  if (!checkChange.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkChange, body)));
  }
  const id = parseAccountId(named.id);
  const said = Object.entries(body).map(([name, value]) => `${name}=${value ?? 'as settings say'}`);
  request.subject = [named.id, ...said].join(' ');
  if (id === null) return refuse(reply, 'unknown_account');
  const done = await road.setLimits(id, body);
  seen.forget();
  switch (done.kind) {
    case 'set':
      return show(id, done.settings);
    case 'unknown':
      return refuse(reply, 'unknown_account');
    case 'not_owner':
      return refuse(reply, 'not_owner');
    case 'wrong': {
      const problems = done.problems.map(({ name, expected }) => ({ path: `/${name}`, expected }));
      return sendProblem(reply, invalid('invalid_message', problems));
    }
    default:
      return unreachable(done);
  }
}

function show(id: AccountId, settings: readonly LimitSetting[] | null) {
  return settings === null ? null : { id, settings };
}
