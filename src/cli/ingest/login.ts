// sluice ingest login: an account to read with. Someone answers what the platform asks; the session that comes of it
// goes to the gateway, which keeps it sealed. It is shown nowhere, and written nowhere from here.

import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { PlatformDefinition } from '../../platforms/definition.ts';
import type { LoginOutcome, ReaderKind } from '../../platforms/history.ts';
import { PLATFORMS } from '../../platforms/registry.ts';
import { systemClock } from '../../system/clock.ts';
import { undiciTransport } from '../../system/http/http.ts';
import { addClientOptions, connect } from '../client.ts';
import { Failed, type Io, printJson } from '../io.ts';
import { configFrom } from '../settings.ts';
import { Questions } from './questions.ts';

interface Options {
  readonly kind?: string;
  readonly config?: string;
  readonly json?: true;
}

const NO_FILES = {
  has: () => false,
  read(): never {
    throw new Error('there are no files here');
  },
};

const NO_KIND =
  'nothing to log in to: the settings have no credentials of an application (mtproto_api_id and mtproto_api_hash)';

export function addLogin(ingest: Command, io: Io): void {
  const command = ingest
    .command('login')
    .description('log an account in to read channels with; asks for phone, code and password')
    .option('--kind <kind>', 'what it is to read by (default: the one there is)');
  addClientOptions(command).action((options: Options) => logIn(io, options));
}

async function logIn(io: Io, options: Options): Promise<void> {
  const { config } = configFrom(io, { config: options.config });
  const client = connect(io, { ...options });
  // Before anyone types a code in vain.
  await client.call('GET', '/v1/ingest/accounts');
  const opened = await openKinds(config);
  const questions = new Questions(io);
  try {
    const kind = opened.kinds.find(
      (each) => options.kind === undefined || each.kind === options.kind,
    );
    if (kind?.logIn === undefined) throw new Failed(NO_KIND);
    const outcome = await kind.logIn({
      phone: () => questions.ask('phone number'),
      code: () => questions.ask('code'),
      password: (hint) => questions.askHidden(hint === null ? 'password' : `password (${hint})`),
    });
    if (outcome.kind !== 'logged_in') throw new Failed(whyNot(outcome));
    const { id, name, session } = outcome;
    await client.call('POST', '/v1/ingest/accounts', { kind: kind.kind, id, name, session });
    if (options.json) printJson(io, { kind: kind.kind, id, name });
    else io.out(`${name} (${id}) is logged in; channels are read with it from now on`);
  } finally {
    questions.close();
    await opened.close();
  }
}

// Those that someone can log in to.
async function openKinds(config: Config): Promise<{ kinds: ReaderKind[]; close(): Promise<void> }> {
  const definitions: readonly PlatformDefinition[] = PLATFORMS;
  const platforms = await Promise.all(
    definitions.map((definition) =>
      definition.open({
        settings: { ...config },
        clock: systemClock(),
        connect: (baseUrl) => undiciTransport({ baseUrl, connectionsMax: 1 }),
        sandbox: null,
        files: NO_FILES,
        reusesFiles: false,
        warn: () => {},
        isLoopback: false,
      }),
    ),
  );
  const kinds = platforms.flatMap(({ history = [] }) => history);
  return {
    kinds: kinds.filter(({ logIn: ask }) => ask !== undefined),
    async close() {
      await Promise.all(platforms.map(({ wire }) => wire.close?.()));
    },
  };
}

function whyNot(outcome: Exclude<LoginOutcome, { kind: 'logged_in' }>): string {
  if (outcome.kind === 'wait') {
    return `the platform asks to wait for ${Math.ceil(outcome.waitMs / 1000)} s before the next try`;
  }
  return `not logged in: ${outcome.detail}`;
}
