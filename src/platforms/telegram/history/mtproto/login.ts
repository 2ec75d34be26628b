// Logging an account in: its phone number, the code that comes to it, and the password where it has one. What comes of
// it is the session, which is all that is needed from then on, and a secret.

import { tl } from '@mtcute/core';
import type { BaseTelegramClient } from '@mtcute/core/client.js';
import type { LoginOutcome, LoginQuestions } from '../../../history.ts';
import { type NotRead, notRead } from './answers.ts';

const TRIES_MAX = 3;
const CALL_MS_MAX = 30_000;

const WORDS: Readonly<Record<string, string>> = {
  PHONE_NUMBER_INVALID: 'the platform knows no such phone number',
  PHONE_NUMBER_BANNED: 'this phone number is banned',
  PHONE_NUMBER_FLOOD: 'too many codes were sent to this phone number; try again tomorrow',
  PHONE_PASSWORD_FLOOD: 'too many logins were tried with this phone number; try again tomorrow',
  PHONE_CODE_INVALID: 'the code was wrong too often',
  PHONE_CODE_EXPIRED: 'the code is no longer good',
  PASSWORD_HASH_INVALID: 'the password was wrong too often',
  API_ID_INVALID: 'mtproto_api_id and mtproto_api_hash are not those of an application',
};

// The client is the caller's to close.
export async function logIn(
  client: BaseTelegramClient,
  questions: LoginQuestions,
): Promise<LoginOutcome> {
  let isConnected = false;
  client.onConnectionState.add((state) => {
    isConnected = state === 'connected';
  });
  client.onError.add(() => {});
  try {
    const user = await enter(client, questions);
    const name = [user.firstName, user.lastName].filter((part) => part !== undefined).join(' ');
    return { kind: 'logged_in', id: String(user.id), name, session: await client.exportSession() };
  } catch (error) {
    return inWords(notRead(error, isConnected));
  }
}

// The platform's own code stays: it is what one finds when one looks for help.
function inWords(outcome: NotRead): NotRead {
  if (outcome.kind !== 'refused') return outcome;
  const { detail } = outcome;
  const said = WORDS[detail];
  return said === undefined ? outcome : { ...outcome, detail: `${said} (${detail})` };
}

async function enter(client: BaseTelegramClient, questions: LoginQuestions): Promise<tl.RawUser> {
  const phone = (await questions.phone()).replace(/[^\d]/g, '');
  const { id, hash } = await client.getApiCredentials();
  const sent = await ask(client, {
    _: 'auth.sendCode',
    phoneNumber: phone,
    apiId: id,
    apiHash: hash,
    settings: { _: 'codeSettings' },
  });
  if (sent._ !== 'auth.sentCode') throw new Error(`the platform wants something else: ${sent._}`);
  const authorization = await repeated('PHONE_CODE_INVALID', async () => {
    const phoneCode = (await questions.code()).trim();
    const { phoneCodeHash } = sent;
    try {
      return await ask(client, { _: 'auth.signIn', phoneNumber: phone, phoneCodeHash, phoneCode });
    } catch (error) {
      if (!tl.RpcError.is(error, 'SESSION_PASSWORD_NEEDED')) throw error;
      return null;
    }
  });
  return client.notifyLoggedIn(authorization ?? (await secondFactor(client, questions)));
}

function secondFactor(client: BaseTelegramClient, questions: LoginQuestions) {
  return repeated('PASSWORD_HASH_INVALID', async () => {
    const request = await ask(client, { _: 'account.getPassword' });
    const given = await questions.password(request.hint ?? null);
    const password = await client.computeSrpParams(request, given);
    return ask(client, { _: 'auth.checkPassword', password });
  });
}

// Who mistypes is asked again, some times.
async function repeated<T>(mistyped: tl.MtErrorText, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === TRIES_MAX || !tl.RpcError.is(error, mistyped)) throw error;
    }
  }
}

function ask<Request extends tl.RpcMethod>(client: BaseTelegramClient, request: Request) {
  return client.call(request, { timeout: CALL_MS_MAX });
}
