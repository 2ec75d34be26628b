// How people write which channel they mean.

import { isDecimalId } from '../../../domain/decimal-id.ts';

const ADDRESS =
  /^https?:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/channels\/(?:@me|\d{1,20})\/(\d{1,20})(?:\/\d{1,20})?\/?$/;
const MENTION = /^<#(\d{1,20})>$/;

// Its id: given as it is, in the address of the channel or of a message in it, or in a mention. null: it is none.
export function channelIdIn(given: string): string | null {
  const text = given.trim();
  const id = ADDRESS.exec(text)?.[1] ?? MENTION.exec(text)?.[1] ?? text;
  return isDecimalId(id) && id !== '0' ? id : null;
}
