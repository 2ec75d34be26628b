// With what channels are read over MTProto: the application's credentials, and where the platform is.

import type { TelegramSettings } from '../settings.ts';

export interface MtprotoAccess {
  readonly apiId: number;
  readonly apiHash: string;
  // null: the platform's own.
  readonly dc: { readonly host: string; readonly port: number } | null;
  // A file with the server's public key; null: the platform's own keys, which the library knows.
  readonly keyFile: string | null;
}

// null: there are no credentials, so nothing can be read in this way.
export function accessOf(settings: TelegramSettings): MtprotoAccess | null {
  const { mtprotoApiId, mtprotoApiHash, mtprotoDc, mtprotoKey } = settings;
  if (mtprotoApiId === null || mtprotoApiHash === null) return null;
  const dc = mtprotoDc === null ? null : addressOf(mtprotoDc);
  return { apiId: mtprotoApiId, apiHash: mtprotoApiHash, dc, keyFile: mtprotoKey };
}

function addressOf(text: string): MtprotoAccess['dc'] {
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}
