// A simulated Telegram on a port with one account, and readers that are logged in there.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SettingValues } from '../../../config/setting-row.ts';
import { newServerKey } from '../../../sim/mtproto/server-key.ts';
import { type ServedMtproto, type SimMtprotoOptions, serveMtproto } from '../../../sim/sim.ts';
import type { Clock } from '../../../system/clock.ts';
import type { ChannelReader, LoginOutcome, LoginQuestions, ReaderKind } from '../../history.ts';
import { TELEGRAM_SETTINGS, type TelegramSettings } from '../settings.ts';
import type { MtprotoAccess } from './access.ts';
import { mtprotoKinds } from './mtproto/kind.ts';

export const PHONE = '15550100';
export const CODE = '24680';
export const PASSWORD = 'correct horse';
export const API = { id: 4711, hash: '0123456789abcdef' };

// One for all: making it takes longer than a test.
const SERVER_KEY = newServerKey();

const LOGINS_MAX = 3;

const missing = () => Promise.reject(new Error('Cannot find package'));
const MISSING = { client: missing, reader: missing, login: missing };

export interface Simulated {
  readonly sim: ServedMtproto;
  readonly kind: ReaderKind;
  readonly access: MtprotoAccess;
  logIn(answers?: Partial<LoginQuestions>): Promise<LoginOutcome>;
  // Logged in; closed with the rest.
  reader(): Promise<ChannelReader>;
  session(): Promise<string>;
  close(): Promise<void>;
}

export interface SimulatedOptions {
  readonly options?: Partial<SimMtprotoOptions>;
  readonly password?: string;
  readonly clock?: Clock;
  // The library is not there, as where optional dependencies were left out.
  readonly isLibraryMissing?: true;
}

export async function simulated(given: SimulatedOptions = {}): Promise<Simulated> {
  const { password = null, clock } = given;
  const sim = await serveMtproto({
    host: '127.0.0.1',
    port: 0,
    serverKey: SERVER_KEY,
    options: { api: API, ...given.options },
    ...(clock === undefined ? null : { clock }),
  });
  sim.model.addAccount({ phone: PHONE, code: CODE, password });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mtproto-'));
  const keyFile = join(folder, 'key.pem');
  writeFileSync(keyFile, sim.pem);
  const settings = settingsFor(sim, keyFile);
  const [kind] =
    given.isLibraryMissing === true ? mtprotoKinds(settings, MISSING) : mtprotoKinds(settings);
  const readers: ChannelReader[] = [];
  const logIn = (answers: Partial<LoginQuestions> = {}) =>
    kind!.logIn!({
      phone: async () => `+${PHONE}`,
      code: async () => CODE,
      password: async () => PASSWORD,
      ...answers,
    });
  const session = async () => {
    let outcome = await logIn();
    // On a machine that is busy for longer than a platform is given to answer.
    for (let n = 1; n < LOGINS_MAX && outcome.kind === 'failed'; n++) outcome = await logIn();
    if (outcome.kind !== 'logged_in') throw new Error(`not logged in: ${outcome.kind}`);
    return outcome.session;
  };
  return {
    sim,
    kind: kind!,
    access: {
      apiId: API.id,
      apiHash: API.hash,
      dc: { host: sim.host, port: sim.port },
      keyFile,
    },
    logIn,
    session,
    async reader() {
      const reader = await kind!.open({ id: 'one', session: await session() });
      readers.push(reader);
      return reader;
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.close()));
      await sim.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function settingsFor(sim: ServedMtproto, keyFile: string): TelegramSettings {
  const initial = Object.entries(TELEGRAM_SETTINGS).map(([key, row]) => [key, row.initial]);
  return {
    ...(Object.fromEntries(initial) as SettingValues<typeof TELEGRAM_SETTINGS>),
    mtprotoApiId: API.id,
    mtprotoApiHash: API.hash,
    mtprotoDc: `${sim.host}:${sim.port}`,
    mtprotoKey: keyFile,
  };
}
