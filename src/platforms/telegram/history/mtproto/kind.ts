// Reading over MTProto, for those who have credentials. The library is optional and large: it is loaded when it is
// used.

import type { LoginOutcome, LoginQuestions, ReaderKind } from '../../../history.ts';
import type { TelegramSettings } from '../../settings.ts';
import { accessOf, type MtprotoAccess } from '../access.ts';

const NOT_INSTALLED =
  'reading over MTProto needs @mtcute/core, @mtcute/wasm and @fuman/node: install them beside Sluice, start it again';

// What is made of the library, each with all that it needs of it.
const LIBRARY = {
  client: () => import('./client.ts'),
  reader: () => import('./mtproto.ts'),
  login: () => import('./login.ts'),
};

export function mtprotoKinds(
  settings: TelegramSettings,
  library: typeof LIBRARY = LIBRARY,
): readonly ReaderKind[] {
  const access = accessOf(settings);
  return access === null ? [] : [mtproto(access, settings.mtprotoSession, library)];
}

// `ownSession`: of the settings, for those who keep no account in the vault.
function mtproto(
  access: MtprotoAccess,
  ownSession: string | null,
  library: typeof LIBRARY,
): ReaderKind {
  return {
    kind: 'mtproto',
    ...(ownSession === null ? {} : { hasOwnAccount: true as const }),
    async open(account) {
      const [{ clientOf }, { MtprotoReader }] = await loaded(library.client(), library.reader());
      return new MtprotoReader(() => clientOf(access, account?.session ?? ownSession));
    },
    logIn: (questions) => enter(access, questions, library),
  };
}

async function enter(
  access: MtprotoAccess,
  questions: LoginQuestions,
  library: typeof LIBRARY,
): Promise<LoginOutcome> {
  const load = () => loaded(library.client(), library.login());
  let modules: Awaited<ReturnType<typeof load>>;
  try {
    modules = await load();
  } catch (error) {
    return { kind: 'refused', reason: 'not_installed', detail: (error as Error).message };
  }
  const [{ newClient }, { logIn }] = modules;
  const client = await newClient(access).catch((error: Error) => error);
  if (client instanceof Error) {
    return { kind: 'failed', reason: 'connection', detail: client.message };
  }
  try {
    return await logIn(client, questions);
  } finally {
    await client.destroy();
  }
}

async function loaded<One, Other>(one: Promise<One>, other: Promise<Other>) {
  try {
    return await Promise.all([one, other]);
  } catch (cause) {
    throw new Error(NOT_INSTALLED, { cause });
  }
}
