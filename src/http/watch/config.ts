// /v1/config: the settings that this gateway was started with. They may name hosts, folders and proxies, so they are
// the admin's alone; secrets are struck out before they come here.

import Type from 'typebox';
import { ADMIN_READS } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { text, textOrNull } from '../openapi/common.ts';
import { refuse } from '../problem.ts';
import { group, type Route, withOptions } from '../route.ts';

const value = Type.Unknown({ description: 'In the words of the configuration file' });

const CONFIG: Route<HttpParts> = {
  method: 'GET',
  url: '/v1/config',
  access: ADMIN_READS,
  tag: 'gateway',
  summary: 'The settings in force; secrets are shown as ***',
  answers: {
    200: Type.Object({
      settings: Type.Record(
        Type.String(),
        Type.Object({
          value,
          meaning: text,
          unit: textOrNull,
          variable: Type.String({ description: 'The environment variable that sets it' }),
          isDefault: Type.Boolean({ description: 'False: somebody set it' }),
        }),
        {
          description: 'By `section.name`',
        },
      ),
      accounts: Type.Array(
        Type.Object({
          name: text,
          platform: text,
          token: text,
          settings: Type.Record(Type.String(), value, { description: 'Those that are its own' }),
        }),
      ),
    }),
  },
  examples: { 'all of them': { status: 200 } },
  handler: async ({ config }, _request, reply) => config ?? refuse(reply, 'not_found'),
};

export const CONFIG_ROUTES = group<HttpParts>([CONFIG], withOptions);
