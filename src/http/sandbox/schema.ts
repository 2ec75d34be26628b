// What callers may send to /v1/sandbox, as schemas.

import Type from 'typebox';
import { name, strict } from '../../accept/schema.ts';
import { checkOf } from '../../system/check.ts';
import { SAMPLE } from '../openapi/common.ts';

const TEXT_LENGTH_MAX = 4096;
const FREEZE_S_MAX = 86_400;

const account = name(`\`${SAMPLE.account}\`, or a token like \`${SAMPLE.token}\``);
// Everyone has a chat there; a number below zero is a group.
// A number, or a name that begins as ids and names of channels do.
const CHAT = '^(-?[0-9]{1,20}|[A-Z#@][A-Za-z0-9_.-]{1,79})$';
const chat = Type.String({ pattern: CHAT, description: 'Chat id' });

export const SandboxQuery = Type.Object({ account, chat }, strict);
export const SandboxWriting = Type.Object(
  { account, chat, text: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }) },
  strict,
);
export const SandboxTrouble = Type.Object(
  {
    account,
    chat,
    state: Type.Optional(Type.Enum(['open', 'blocked'])),
    freezeSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: FREEZE_S_MAX })),
  },
  strict,
);

export const checkSandboxQuery = checkOf(SandboxQuery);
export const checkSandboxWriting = checkOf(SandboxWriting);
export const checkSandboxTrouble = checkOf(SandboxTrouble);
