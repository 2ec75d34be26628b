// POST /v1/limits/freeze and /thaw: an operator's hand on the limits of a chat or an account.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { NAME_LENGTH_MAX, YEAR_S } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { showTime } from '../../accept/time.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { parseAccountId } from '../../domain/ids.ts';
import type { HandOnLimits } from '../../road/road.ts';
import { checkOf } from '../../system/check.ts';
import { operator } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { count, SAMPLE, text, textOrNull } from '../openapi/common.ts';
import { refuse, sendProblem } from '../problem.ts';
import type { Route } from '../route.ts';

export interface FreezePorts {
  readonly options: HttpParts;
  // What was seen of the limits a moment ago: who changes them sees the change.
  readonly seen: { forget(): void };
}

const name = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
const where = {
  account: name,
  chat: Type.Optional(
    Type.Union([name, Type.Integer()], { description: 'Left out: the account as a whole' }),
  ),
};
const Freeze = Type.Object(
  {
    ...where,
    seconds: Type.Number({ exclusiveMinimum: 0, maximum: YEAR_S, description: 'For how long' }),
    reason: Type.Optional(
      Type.String({
        maxLength: NAME_LENGTH_MAX,
        description: 'Shown wherever it is asked why a message waits',
      }),
    ),
  },
  { additionalProperties: false },
);
const Thaw = Type.Object(where, { additionalProperties: false });
const checkFreeze = checkOf(Freeze);
const checkThaw = checkOf(Thaw);

export const FREEZE: Route<FreezePorts> = {
  method: 'POST',
  url: '/v1/limits/freeze',
  owner: 'body',
  access: operator('closed', 'body'),
  tag: 'accounts',
  summary: 'Send nothing to this chat, or for this account, for a time',
  body: Freeze,
  answers: {
    200: Type.Object({
      account: text,
      chat: textOrNull,
      until: { ...text, description: 'Until when it holds; a longer freeze stays' },
    }),
  },
  examples: {
    'a chat for ten minutes': {
      body: { account: SAMPLE.account, chat: '42', seconds: 600, reason: 'maintenance' },
      status: 200,
    },
  },
  handler: freeze,
};

export const THAW: Route<FreezePorts> = {
  method: 'POST',
  url: '/v1/limits/thaw',
  owner: 'body',
  access: operator('closed', 'body'),
  tag: 'accounts',
  summary: 'End the freezes of this chat or account now; one call goes first',
  body: Thaw,
  answers: {
    200: Type.Object({
      account: text,
      chat: textOrNull,
      thawed: { ...count, description: 'Freezes that ended by it' },
    }),
  },
  examples: {
    'a chat': { body: { account: SAMPLE.account, chat: '42' }, status: 200 },
  },
  handler: thaw,
};

async function freeze(
  { options: { road, clock }, seen }: FreezePorts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { body } = request;
  if (!checkFreeze.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkFreeze, body)));
  }
  const until = clock.now() + body.seconds * 1000;
  const cause = body.reason === undefined ? 'by hand' : `by hand: ${body.reason}`;
  request.subject = inWords(body);
  const what = whatOf(body);
  if (what === null) return refuse(reply, 'unknown_account');
  const holdsUntil = await road.freeze(what, until, cause);
  seen.forget();
  if (holdsUntil === null) return refuse(reply, 'unknown_account');
  return { ...what, until: showTime(holdsUntil) };
}

async function thaw(
  { options: { road }, seen }: FreezePorts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { body } = request;
  if (!checkThaw.Check(body)) {
    return sendProblem(reply, invalid('invalid_message', troublesOf(checkThaw, body)));
  }
  request.subject = inWords(body);
  const what = whatOf(body);
  if (what === null || !road.accounts().some(({ id }) => id === what.account)) {
    return refuse(reply, 'unknown_account');
  }
  const thawed = await road.thaw(what);
  seen.forget();
  return { ...what, thawed };
}

// null: no account is called so.
function whatOf({ account: named, chat }: Static<typeof Thaw>): HandOnLimits | null {
  const account = parseAccountId(named);
  return account === null ? null : { account, chat: chat === undefined ? null : String(chat) };
}

function inWords({ account, chat }: Static<typeof Thaw>): string {
  return chat === undefined ? account : `${account} ${chat}`;
}
