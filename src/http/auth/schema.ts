// What may be sent about keys, logins and the audit log; see schema.ts.

import Type, { type Static } from 'typebox';
import { NAME_LENGTH_MAX, YEAR_S } from '../../accept/context.ts';
import { name, nullable, strict } from '../../accept/schema.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { ROLES } from '../../domain/role.ts';
import { checkOf } from '../../system/check.ts';

const NAMES_MAX = 1000;
const KEY_NAME_LENGTH_MAX = 64;
const PER_MINUTE_MAX = 6000;

const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }), {
    minItems: 1,
    maxItems: NAMES_MAX,
    description,
  });

const scope = {
  chats: Type.Optional(names('Chat ids and @names it may reach; all when left out')),
  methods: Type.Optional(names('Methods it may call; all when left out')),
  perMinute: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PER_MINUTE_MAX, description: 'Calls per any minute' }),
  ),
  priority: Type.Optional(
    Type.Enum([...PRIORITIES], { description: 'What is more urgent is lowered to this' }),
  ),
};

const common = {
  name: Type.String({
    minLength: 1,
    maxLength: KEY_NAME_LENGTH_MAX,
    description: 'Who it is for; stands in the history of what it does',
  }),
  ttl: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 10 * YEAR_S,
      description: 'Seconds until it expires; never when left out',
    }),
  ),
  ...scope,
};

export const ApiKey = Type.Object(
  {
    ...common,
    role: Type.Enum([...ROLES]),
    accounts: Type.Optional(names('Account ids it may use; all when left out')),
  },
  strict,
);
export const VirtualToken = Type.Object(
  { ...common, virtual: Type.Literal(true), account: name('The account it speaks for') },
  strict,
);

export const KeyAnswer = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['key', 'virtual']),
  name: Type.String(),
  role: Type.Enum([...ROLES]),
  active: Type.Boolean(),
  createdAt: Type.String(),
  expiresAt: nullable('string'),
  usedAt: nullable('string'),
  scope: Type.Unknown(),
});
export const NewKeyAnswer = Type.Object({
  ...KeyAnswer.properties,
  secret: Type.String({ description: 'Shown this once' }),
});

const limit = Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1 to 1000; 50' }));
export const KeysQuery = Type.Object(
  { limit, cursor: Type.Optional(name('`next` of the page before')) },
  strict,
);
export const AuditQuery = Type.Object(
  {
    limit,
    cursor: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,15}$', description: '`next` of the page before' }),
    ),
  },
  strict,
);
export const KeyRotation = Type.Object(
  {
    grace: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: YEAR_S,
        description: 'Seconds for which the old secret stays good; 0',
      }),
    ),
  },
  strict,
);
export const Login = Type.Object({ key: Type.String({ minLength: 1, maxLength: 512 }) }, strict);

export const Me = Type.Object({
  name: Type.String(),
  role: Type.Enum([...ROLES]),
  csrf: nullable('string'),
});

export type ApiKeyRequest = Static<typeof ApiKey>;
export type VirtualTokenRequest = Static<typeof VirtualToken>;

export const checkApiKey = checkOf(ApiKey);
export const checkVirtualToken = checkOf(VirtualToken);
export const checkKeysQuery = checkOf(KeysQuery);
export const checkAuditQuery = checkOf(AuditQuery);
export const checkKeyRotation = checkOf(KeyRotation);
export const checkLogin = checkOf(Login);
