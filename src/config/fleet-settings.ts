// Settings of several machines: the store they share, the faster wire between them, and each one's name and address.

import { baseUrl, databaseAddress, orNone, text } from './parse.ts';
import { row } from './setting-row.ts';

export const FLEET_SETTINGS = {
  databaseUrl: row<string | null>('server', 'database_url', orNone(databaseAddress()), null, {
    meaning:
      'Postgres instead of the embedded store: the gateway is a node of a fleet, with all others on the same ' +
      'database. They share `secret`, which must be set; the data folder keeps the spill and the admin key',
    secret: true,
  }),
  redisUrl: row<string | null>(
    'server',
    'redis_url',
    orNone(baseUrl(['rediss:', 'redis:'])),
    null,
    {
      meaning:
        'Redis, by which the nodes of a fleet notice sooner that one is gone; needs database_url too. While it is ' +
        'away Postgres does it',
      secret: true,
    },
  ),
  node: row<string | null>('server', 'node', orNone(text('a name')), null, {
    meaning:
      'The name of this node of a fleet; none: made at the first start and kept in the data folder',
  }),
  nodeUrl: row<string | null>('server', 'node_url', orNone(baseUrl()), null, {
    meaning:
      'Where other nodes of the fleet reach this one: the address of its internal listener; none: a free port of ' +
      '`host`',
  }),
};
