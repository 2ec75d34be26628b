// The drop-in as the description has it: one call of the platform that stands in the examples, and the headers that
// hold for every call of every platform. It is served by http/dialects; a test sends its example like any other.

import Type from 'typebox';
import { PLATFORM_DEFAULT } from '../../platforms/registry.ts';
import { ANYONE } from '../auth/access.ts';
import type { RouteFacts } from '../route.ts';

const { dropIn } = PLATFORM_DEFAULT.sample;

export const DROP_IN: RouteFacts = {
  method: 'POST',
  url: dropIn.url,
  access: ANYONE,
  tag: 'drop-in',
  summary: `A call of the platform’s own API (${PLATFORM_DEFAULT.name}), answered in its own words`,
  headers: {
    Prefer: '`wait=15`: answer within so many seconds; `respond-async`: do not wait at all',
    Priority: 'RFC 9218: `u=0` and `u=1` critical, `u=2` high, `u=3` to `u=5` normal, else low',
    'X-Sluice-TTL': 'Seconds after which it is no longer worth sending',
    'X-Sluice-Session': 'Order is kept within a session, and sessions take turns',
    'X-Sluice-User': 'For whom it is sent, where users have limits of their own',
    'X-Correlation-Id': 'Your own id of it, searchable; the delivery’s id when left out',
    'Idempotency-Key': 'The same key again sends nothing',
  },
  body: Type.Object({}, { additionalProperties: true, description: 'The call’s parameters' }),
  answers: {
    200: Type.Object({}, { additionalProperties: true, description: 'The platform’s answer' }),
  },
  answerHeaders: {
    'X-Sluice-Delivery': 'The id of the delivery; left out where no delivery stands for the call',
    'X-Correlation-Id': 'Yours, else the id of the delivery',
    'X-Sluice-Repeats': 'The earlier delivery that it may repeat',
    'X-Sluice-Error': 'The code of a refusal that is Sluice’s own',
  },
  examples: {
    'a message': { params: dropIn.params, body: dropIn.body, status: 200 },
    'that may be late by a minute': {
      params: dropIn.params,
      headers: { Priority: 'u=5', 'X-Sluice-TTL': '60' },
      body: dropIn.body,
      status: 200,
    },
  },
};
