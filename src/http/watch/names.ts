// /v1/names: what people call the accounts and chats that everything else names by id. Learned from the platform's
// answers, which the ledger keeps anyway: the newest to each chat is read when somebody asks, so sending costs nothing
// more, and a restart forgets nothing. A chat that no answer has named goes by its newest update. What was read is kept
// for a while, and never more than a bounded number.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { NAME_LENGTH_MAX } from '../../accept/context.ts';
import { invalid } from '../../accept/problems.ts';
import { troublesOf } from '../../accept/trouble.ts';
import { type AccountId, parseAccountId, platformOf } from '../../domain/ids.ts';
import { checkOf } from '../../system/check.ts';
import { sender } from '../auth/access.ts';
import type { HttpParts } from '../context.ts';
import { SAMPLE, text, textOrNull } from '../openapi/common.ts';
import { sendProblem } from '../problem.ts';
import { group, type Route } from '../route.ts';

const ASKED_MAX = 100;
const NAMES_MAX = 20_000;
// A chat may be called otherwise tomorrow; one without a name may have one soon.
const KNOWN_MS_MAX = 600_000;
const UNKNOWN_MS_MAX = 10_000;

type NameParts = Pick<HttpParts, 'clock' | 'ledger' | 'platforms' | 'road' | 'log' | 'updates'>;

interface Known {
  readonly name: string | null;
  readonly until: number;
}

const NamesQuery = Type.Object(
  {
    account: Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Account id' }),
    chats: Type.Optional(
      Type.String({
        maxLength: ASKED_MAX * NAME_LENGTH_MAX,
        description: `Chat ids with commas between; at most ${ASKED_MAX}`,
      }),
    ),
  },
  { additionalProperties: false },
);
const checkNames = checkOf(NamesQuery);

const READ: Route<KnownNames> = {
  method: 'GET',
  url: '/v1/names',
  // They stand in answers, which a viewer does not see.
  access: sender('closed'),
  tag: 'watching',
  summary: 'What people call an account and its chats, as far as answers and updates have told',
  query: NamesQuery,
  answers: {
    200: Type.Object({
      account: text,
      name: textOrNull,
      chats: Type.Record(Type.String(), text, { description: 'Those whose name is known' }),
    }),
  },
  examples: {
    'of an account and one chat': { query: { account: SAMPLE.account, chats: '42' }, status: 200 },
  },
  handler: read,
};

export const NAME_ROUTES = group<KnownNames>([READ], ({ options }) => new KnownNames(options));

const NO_NAMES = Object.freeze({ name: null, chats: {} });

async function read(names: KnownNames, { query }: FastifyRequest, reply: FastifyReply) {
  if (!checkNames.Check(query)) {
    return sendProblem(reply, invalid('invalid_query', troublesOf(checkNames, query)));
  }
  const { account, chats = '' } = query;
  const asked = [...new Set(chats.split(',').filter((chat) => chat !== ''))];
  if (asked.length > ASKED_MAX) {
    const expected = `at most ${ASKED_MAX} chats`;
    return sendProblem(reply, invalid('invalid_query', [{ path: '/chats', expected }]));
  }
  const id = parseAccountId(account);
  return { account, ...(id === null ? NO_NAMES : await names.of(id, asked)) };
}

export class KnownNames {
  readonly #parts: NameParts;
  // Insertion order is age order. The account's own name stands under the chat ''.
  readonly #known = new Map<string, Known>();
  readonly #namesMax: number;

  constructor(parts: NameParts, namesMax = NAMES_MAX) {
    this.#parts = parts;
    this.#namesMax = namesMax;
  }

  async of(account: AccountId, chats: readonly string[]) {
    const found = await Promise.all(chats.map((chat) => this.#chat(account, chat)));
    const named = chats.flatMap((chat, i) => (found[i] == null ? [] : [[chat, found[i]]]));
    const name = this.#fresh(account, '') ?? (await this.#account(account));
    return { name, chats: Object.fromEntries(named) as Record<string, string> };
  }

  async #chat(account: AccountId, chat: string): Promise<string | null> {
    const known = this.#fresh(account, chat);
    if (known !== undefined) return known;
    const inUpdates = this.#parts.updates?.nameOf(account, chat) ?? null;
    const reading = this.#parts.platforms.get(platformOf(account))?.names;
    if (reading === undefined) return inUpdates;
    const page = { limit: 1, before: null };
    const [newest] = await this.#parts.ledger.search({ account, chat, state: 'sent' }, page);
    const read = newest?.result == null ? null : this.#read(account, newest.result);
    if (read?.account != null) this.#keep(account, '', read.account);
    // A chat that goes by another id now is not called by what that one is called.
    const name = read?.chat?.id === chat ? read.chat.name : inUpdates;
    this.#keep(account, chat, name);
    return name;
  }

  // By one of the chats it talks to now.
  async #account(account: AccountId): Promise<string | null> {
    const [busy] = this.#parts.road.limits(account, 2).filter(({ chat }) => chat !== '');
    if (busy !== undefined) await this.#chat(account, busy.chat);
    const name = this.#fresh(account, '') ?? null;
    if (name === null) this.#keep(account, '', null);
    return name;
  }

  #read(account: AccountId, result: string) {
    try {
      return this.#parts.platforms.get(platformOf(account))?.names?.read(result) ?? null;
    } catch (error) {
      const about = { err: error, platform: platformOf(account), account };
      this.#parts.log.warn(about, 'the names in an answer cannot be read');
      return null;
    }
  }

  // undefined: it must be looked up.
  #fresh(account: AccountId, chat: string): string | null | undefined {
    const known = this.#known.get(keyOf(account, chat));
    return known === undefined || known.until <= this.#parts.clock.now() ? undefined : known.name;
  }

  #keep(account: AccountId, chat: string, name: string | null): void {
    const key = keyOf(account, chat);
    const until = this.#parts.clock.now() + (name === null ? UNKNOWN_MS_MAX : KNOWN_MS_MAX);
    this.#known.delete(key);
    this.#known.set(key, { name, until });
    if (this.#known.size <= this.#namesMax) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

function keyOf(account: AccountId, chat: string): string {
  return `${account} ${chat}`;
}
