// /v1/reasons: every reason code in words, those of the platforms that are open and those of Sluice itself.

import Type from 'typebox';
import { OWN_REASONS } from '../../domain/reasons.ts';
import { viewer } from '../auth/access.ts';
import type { IntakeOptions } from '../context.ts';
import { text } from '../openapi/common.ts';
import { group, type Route, withOptions } from '../route.ts';

const READ: Route<IntakeOptions> = {
  method: 'GET',
  url: '/v1/reasons',
  access: viewer('open'),
  tag: 'watching',
  summary: 'What each reason code means, in words',
  answers: {
    200: Type.Object({
      reasons: Type.Record(Type.String(), text),
      unreachable: Type.Array(text, {
        description: 'Those that say that a chat refuses the account, whatever is sent',
      }),
    }),
  },
  examples: { 'all of them': { status: 200 } },
  handler: async ({ platforms }) => {
    const all = [...platforms.values()];
    const theirs = all.map(({ reasons }) => reasons ?? {});
    return {
      reasons: Object.assign({}, ...theirs, OWN_REASONS) as Record<string, string>,
      unreachable: all.flatMap(({ broadcast }) => broadcast?.unreachable ?? []),
    };
  },
};

export const REASON_ROUTES = group<IntakeOptions>([READ], withOptions);
