// Reading over MTProto, for those who have credentials. The library is optional and large: it is loaded when it is
// used.

import type { ReaderKind } from '../../history.ts';
import type { TelegramSettings } from '../settings.ts';
import { accessOf, type MtprotoAccess } from './access.ts';

export function mtprotoKinds(settings: TelegramSettings): readonly ReaderKind[] {
  const access = accessOf(settings);
  return access === null ? [] : [mtproto(access, settings.mtprotoSession)];
}

// `ownSession`: of the settings, for those who keep no account in the vault.
function mtproto(access: MtprotoAccess, ownSession: string | null): ReaderKind {
  return {
    kind: 'mtproto',
    ...(ownSession === null ? {} : { hasOwnAccount: true as const }),
    async open(account) {
      const [{ clientOf }, { MtprotoReader }] = await loaded(
        import('./mtproto-client.ts'),
        import('./mtproto.ts'),
      );
      return new MtprotoReader(() => clientOf(access, account?.session ?? ownSession));
    },
    async logIn(questions) {
      const [{ newClient }, { logIn }] = await loaded(
        import('./mtproto-client.ts'),
        import('./mtproto-login.ts'),
      );
      const client = await newClient(access);
      try {
        return await logIn(client, questions);
      } finally {
        await client.destroy();
      }
    },
  };
}

async function loaded<One, Other>(one: Promise<One>, other: Promise<Other>) {
  try {
    return await Promise.all([one, other]);
  } catch (cause) {
    throw new Error('reading over MTProto needs @mtcute/core, @mtcute/wasm and @fuman/node', {
      cause,
    });
  }
}
